import ParleyProtocol

/// The stored state of a conversation, without its messages.
package struct ConversationState: Hashable, Sendable {
    package let id: ConversationID
    /// The stored stretch of the log; `nil` before the first message.
    package var kept: KeptStretch?
    /// The device's acknowledged "delivered" mark; 0 for none.
    package var deliveredSeq: Int
    /// The owner's encoding, opaque here. `nil` if there is none or it is damaged: it is fetched again.
    package var object: [UInt8]?
    /// The chapter of new records: 0, and one more with each new epoch.
    package var chapter: Int

    package init(
        id: ConversationID, kept: KeptStretch? = nil, deliveredSeq: Int = 0, object: [UInt8]? = nil, chapter: Int = 0
    ) {
        self.id = id
        self.kept = kept
        self.deliveredSeq = deliveredSeq
        self.object = object
        self.chapter = chapter
    }
}

/// A stretch of a log without gaps.
package struct KeptStretch: Hashable, Sendable {
    package var epoch: String
    package var seqs: ClosedRange<Int>

    package init(epoch: String, seqs: ClosedRange<Int>) { (self.epoch, self.seqs) = (epoch, seqs) }
}
