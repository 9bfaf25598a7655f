import ParleyProtocol
import ParleyRules
import ParleyStore

extension PostActivity: OnceHandler {
    struct New {
        let item: ActivityItem
        let digest: [UInt8]
    }

    func made(in context: DecisionContext) throws -> (digest: [UInt8]?, what: () throws -> ActivityItem)? {
        guard let made = try context.facts.activities.item(id, seenBy: context.sender.user) else { return nil }
        return (made.digest, { made.item })
    }

    func decideNew(_ digest: [UInt8], in context: DecisionContext) throws -> New {
        let item = ActivityItem(
            id: id, user: context.sender.user, type: .known(type.type), title: title, description: description,
            metadata: metadata, timestamp: context.now)
        try context.checkRoom(for: item.storageCost, of: item.user)
        try context.charge(\.activities)
        return New(item: item, digest: digest)
    }

    func apply(_ decision: OnceDecision<ActivityItem, New>, in context: ApplyContext) throws(StoreError) {
        let item: ActivityItem
        switch decision {
        case .repeated(let made): item = made
        case .new(let new):
            item = new.item
            try context.charge(item.storageCost, to: item.user)
            try context.feed.add(item, .posted(digest: new.digest))
        }
        context.accept { item.write(to: &$0) }
    }
}
