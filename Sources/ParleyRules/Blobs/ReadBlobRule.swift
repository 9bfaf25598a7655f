import ParleyProtocol

/// Decides `blobs/get`: a blob is its maker's, and of everyone who may read the message that names it.
package enum ReadBlobRule {
    package struct Facts: Sendable {
        /// `nil` for an unknown one.
        package let blob: StoredBlob?
        /// The conversation of the message that names it.
        package let conversation: ConversationFacts?
        /// Whether that message is shown to its sender alone.
        package let isWithheld: Bool

        package init(blob: StoredBlob?, conversation: ConversationFacts?, isWithheld: Bool = false) {
            (self.blob, self.conversation, self.isWithheld) = (blob, conversation, isWithheld)
        }
    }

    /// - Throws: the same `not_found` for whatever reason.
    package static func decide(
        by user: UserID, facts: Facts, steady: Timestamp
    ) throws(Rejection) -> Blob {
        guard let stored = facts.blob, stored.exists(at: steady) else { throw .blobNotFound }
        guard stored.maker != user else { return stored.blob }
        // The sender of the message is the maker: what is withheld is shown to nobody else.
        guard let seq = stored.seq, !facts.isWithheld, let conversation = facts.conversation,
            let member = conversation.member(user), member.isOpen, seq > member.visibleFrom,
            seq <= conversation.end(seenBy: user).lastSeq
        else { throw .blobNotFound }
        return stored.blob
    }
}

/// Decides `blobs/delete`.
package enum DeleteBlobRule {
    /// - Parameter blob: `nil` for an unknown one.
    /// - Throws: `not_found` for an unknown one and another's, `conflict` for one that a message names.
    package static func decide(_ blob: StoredBlob?, by user: UserID) throws(Rejection) {
        guard let blob, blob.maker == user else { throw .blobNotFound }
        guard blob.seq == nil else { throw Rejection(.conflict, "A message names this blob.") }
    }
}
