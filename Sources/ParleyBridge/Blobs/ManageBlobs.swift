import ParleyProtocol
import ParleyRules
import ParleyStore

extension CreateBlob: OnceHandler {
    struct New {
        let stored: StoredBlob
        let conversation: ConversationState
    }

    /// A repeat gets the blob as it stands.
    func first(in context: DecisionContext) throws -> (digest: [UInt8]?, outcome: () throws -> Blob)? {
        guard let row = try context.facts.blobs.blob(id) else { return nil }
        return (row.digest, { row.stored.blob })
    }

    func decideNew(in context: DecisionContext) throws -> New {
        let (sender, settings) = (context.sender.user, context.settings)
        // Whatever is still under way at a door would meet other bytes.
        guard try context.facts.blobs.gone(among: [id]).isEmpty else {
            throw Rejection(.conflict, "The blob with this id is deleted.")
        }
        guard let conversation = try context.conversation(conversation) else { throw Rejection.conversationNotFound }
        let stored = try CreateBlobRule.decide(
            self, by: sender,
            facts: CreateBlobRule.Facts(
                conversation: conversation.facts, relationship: conversation.relationship,
                unnamed: try context.facts.blobs.unnamed(of: sender)),
            bounds: CreateBlobRule.Bounds(
                bytes: settings.blobBytes, unnamed: settings.blobsOpen, waiting: settings.blobWaiting,
                requestRenewal: settings.requestRenewal),
            now: context.now, steady: context.steady)
        try context.checkRoom(for: StorageCost.row, of: sender)
        try context.charge(.blobs, count: CreateBlobRule.units(of: size))
        return New(stored: stored, conversation: conversation)
    }

    func make(_ new: New, digest: [UInt8], in context: ApplyContext) throws(StoreError) -> Blob {
        try context.charge(StorageCost.row, to: context.sender.user)
        try context.transaction.blobs.insert(new.stored, in: new.conversation.key, digest: digest)
        if let end = new.stored.disappearsAt { context.afterCommit.wake(BlobRemovalDuty.self, at: end) }
        return new.stored.blob
    }
}

extension GetBlob: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (user, snapshot) = (context.caller.user, context.snapshot)
        let row = try snapshot.blobs.blob(id)
        let conversation = try row.flatMap { row in
            row.stored.maker == user ? nil : try snapshot.conversations.conversation(row.stored.blob.conversation)
        }
        return try ReadBlobRule.decide(
            by: user,
            facts: ReadBlobRule.Facts(
                blob: row?.stored, conversation: conversation?.facts, isWithheld: row?.isWithheld ?? false),
            steady: context.moment.steady
        ).write
    }
}

extension DeleteBlob: CommandHandler {
    func decide(in context: DecisionContext) throws {
        try DeleteBlobRule.decide(try context.facts.blobs.blob(id)?.stored, by: context.sender.user)
    }

    func apply(_: Void, in context: ApplyContext) throws(StoreError) {
        try context.transaction.blobs.discard([id], at: context.steady)
        context.wakeBlobRemoval()
        context.accept { $0.object { _ in } }
    }
}

extension CollectBlobs: CommandHandler {
    /// - Returns: those of the ids that the gateway does not know.
    func decide(in context: DecisionContext) throws -> [BlobID] {
        let ours = try context.facts.blobs.known(known)
        return known.filter { !ours.contains($0) }
    }

    func apply(_ unknown: [BlobID], in context: ApplyContext) throws(StoreError) {
        try context.transaction.blobs.recordRemoved(removed)
        let gone = try context.read { try $0.blobs.gone(limit: Limits.collectedBlobs) }
        let collection = BlobCollection(gone: gone, unknown: unknown)
        context.accept { collection.write(to: &$0) }
    }
}

extension ApplyContext {
    /// Blobs are gone: their ids stay for a time.
    func wakeBlobRemoval() {
        afterCommit.wake(BlobRemovalDuty.self, at: steady.advanced(by: BlobRemovalDuty.keeping))
    }
}
