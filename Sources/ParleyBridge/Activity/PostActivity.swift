import ParleyProtocol
import ParleyRules
import ParleyStore

extension PostActivity: OnceHandler {
    func first(in context: DecisionContext) throws -> (digest: [UInt8]?, outcome: () throws -> ActivityItem)? {
        guard let made = try context.facts.activities.item(id, seenBy: context.sender.user) else { return nil }
        return (made.digest, { made.item })
    }

    func decideNew(in context: DecisionContext) throws -> ActivityItem {
        let item = ActivityItem(
            id: id, user: context.sender.user, type: .known(type.type), title: title, description: description,
            metadata: metadata, timestamp: context.now)
        try context.checkRoom(for: item.storageCost, of: item.user)
        try context.charge(.activities)
        return item
    }

    func make(_ item: ActivityItem, digest: [UInt8], in context: ApplyContext) throws(StoreError) -> ActivityItem {
        try context.charge(item.storageCost, to: item.user)
        try context.feed.add(item, .posted(digest: digest))
        return item
    }
}
