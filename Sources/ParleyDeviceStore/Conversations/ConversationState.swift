import ParleyProtocol

/// What the device knows of a conversation beside its messages.
package struct ConversationState: Hashable, Sendable {
    package let id: ConversationID
    /// The stretch of the log that is kept without a hole; `nil` before the first message is.
    package var kept: KeptStretch?
    /// Up to where this device has said that it has everything; 0 for nothing.
    package var deliveredSeq: Int
    /// The conversation object, as the owner of the store codes it; opaque here. `nil` if there is none, or what is
    /// there is damaged: it is to be fetched.
    package var object: [UInt8]?
    /// Of the records that come now: 0, and one more each time the gateway's history began anew.
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

/// A stretch of a log in which no record is missing.
package struct KeptStretch: Hashable, Sendable {
    package var epoch: String
    package var seqs: ClosedRange<Int>

    package init(epoch: String, seqs: ClosedRange<Int>) { (self.epoch, self.seqs) = (epoch, seqs) }
}
