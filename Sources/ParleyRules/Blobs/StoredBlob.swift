import ParleyProtocol

/// A blob as the gateway has it.
package struct StoredBlob: Hashable, Sendable {
    package let blob: Blob
    package let maker: UserID
    /// When nobody may have it any more, by the steady time; `nil` for never.
    package let disappearsAt: Timestamp?
    /// Of the message that names it.
    package let seq: Int?

    package init(blob: Blob, maker: UserID, disappearsAt: Timestamp?, seq: Int? = nil) {
        (self.blob, self.maker, self.disappearsAt, self.seq) = (blob, maker, disappearsAt, seq)
    }

    /// Whether somebody may still have it.
    func exists(at steady: Timestamp) -> Bool { disappearsAt.map { steady < $0 } ?? true }
}

extension StoredBlob {
    /// Whether a message of a user's in a conversation may name it.
    package func mayBeNamed(by user: UserID, in conversation: ConversationID, at steady: Timestamp) -> Bool {
        maker == user && blob.conversation == conversation && seq == nil && exists(at: steady)
    }
}
