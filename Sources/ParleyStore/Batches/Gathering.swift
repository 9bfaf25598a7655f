import ParleyProtocol
import ParleyRules

extension Snapshot {
    /// Reads every kind of fact by one query for all its keys. The keys and settings of a conversation's members follow
    /// from the conversation, which is read first.
    package func gather(_ keys: FactKeys) throws(StoreError) -> GatheredFacts {
        try database.together { database throws(StoreError) in try Snapshot(database: database).facts(for: keys) }
    }

    private func facts(for keys: FactKeys) throws(StoreError) -> GatheredFacts {
        var facts = GatheredFacts()
        facts.devices = try devices.devices(keys.devices)
        facts.conversations = try conversations.withContacts(keys.conversations)
        facts.records = try records.locations(of: keys.records)
        facts.targets = try records.targets(keys.targets)
        facts.receipts = try receipts.states(keys.receipts)
        let found = facts.conversations
        let members = keys.sealedFor.flatMap { found[$0]?.facts.users ?? [] }
        let pairs = keys.disclosedIn.compactMap { found[$0]?.facts }.filter { $0.type == .direct }.flatMap(\.users)
        facts.keys = try devices.keys(of: keys.keyHolders.union(members))
        facts.disclosures = try users.disclosures(keys.disclosing.union(pairs))
        facts.storedBytes = try storedBytes.count(of: keys.storing, on: keys.day)
        return facts
    }
}
