import ParleyProtocol

/// Decides `blobs/create`: whoever may write to a conversation may announce a blob for it.
package enum CreateBlobRule {
    package struct Facts: Sendable {
        /// The named conversation, with or without the sender.
        package let conversation: ConversationFacts?
        /// Of the two of a direct conversation; `nil` in a group.
        package let relationship: Relationship?
        /// The sender's blobs that no message names.
        package let unnamed: UnnamedBlobs

        package init(conversation: ConversationFacts?, relationship: Relationship? = nil, unnamed: UnnamedBlobs) {
            (self.conversation, self.relationship, self.unnamed) = (conversation, relationship, unnamed)
        }
    }

    /// Blobs of one user that no message names.
    package struct UnnamedBlobs: Hashable, Sendable {
        package let count: Int
        /// When the first of them disappears, by the steady time.
        package let firstEnd: Timestamp?

        package init(count: Int, firstEnd: Timestamp?) { (self.count, self.firstEnd) = (count, firstEnd) }
    }

    package struct Bounds: Sendable {
        /// The most bytes of a blob before it is sealed.
        package let bytes: Int
        /// The most blobs of a user that no message names.
        package let unnamed: Int
        /// How long a blob waits for a message.
        package let waiting: Duration
        /// How long after the end of a friendship there is no new message request.
        package let requestRenewal: Duration

        package init(bytes: Int, unnamed: Int, waiting: Duration, requestRenewal: Duration = .zero) {
            (self.bytes, self.unnamed, self.waiting) = (bytes, unnamed, waiting)
            self.requestRenewal = requestRenewal
        }
    }

    package static func decide(
        _ request: CreateBlob, by sender: UserID, facts: Facts, bounds: Bounds, now: Timestamp, steady: Timestamp
    ) throws(Rejection) -> StoredBlob {
        guard let conversation = facts.conversation, conversation.isAddressable(by: sender, facts.relationship) else {
            throw .conversationNotFound
        }
        // As a message's: a blocked sender gets the same answer as a stranger whose request is spent.
        let permission = facts.relationship?.permission(of: sender, now: now, renewal: bounds.requestRenewal)
        if let rejection = permission?.rejection { throw rejection }
        guard request.size <= sealedBytes(of: bounds.bytes) else {
            throw Rejection(.tooLarge, "size: more than a blob may have")
        }
        guard facts.unnamed.count < bounds.unnamed else {
            let end = facts.unnamed.firstEnd ?? steady.advanced(by: bounds.waiting)
            throw Rejection(
                .rateLimited, "Too many blobs that no message names.",
                retryAfterMilliseconds: Int(max(1, end.milliseconds - steady.milliseconds)))
        }
        return StoredBlob(
            blob: Blob(
                id: request.id, conversation: conversation.id, size: request.size, digest: request.digest,
                createdAt: now, expiresAt: now.advanced(by: bounds.waiting)),
            maker: sender, disappearsAt: steady.advanced(by: bounds.waiting))
    }

    /// With room for what sealing adds: a header, and 17 bytes for each 64 KiB.
    static func sealedBytes(of bytes: Int) -> Int { bytes + bytes / 1024 + 4096 }

    /// The bytes of one unit of ``LimitedUse/blobs``.
    private static let unit = 65_536

    package static func units(of bytes: Int) -> Int { (max(1, bytes) - 1) / unit + 1 }
}
