import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension PostActivity: CommandHandler {
    struct Decision {
        let item: ActivityItem
        /// What the request was, 16 bytes; `nil` where it is a repeat.
        let digest: [UInt8]?
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let (facts, caller) = (try context.facts, context.sender.user)
        guard try facts.users.hasMember(caller) else { throw Rejection(.forbidden, "An operator achieves nothing.") }
        let digest = try BLAKE2b.hash(identityPreimage(sender: context.sender).span, length: .bytes16)
        if let existing = try facts.activities.item(id, seenBy: caller) {
            guard existing.digest == digest else { throw Rejection.idTaken }
            return Decision(item: existing.item, digest: nil)
        }
        let item = ActivityItem(
            id: id, user: caller, type: .known(type.type), title: title, description: description, metadata: metadata,
            timestamp: context.now)
        try context.checkRoom(for: item.storageCost, of: caller)
        try context.chargeActivity()
        return Decision(item: item, digest: digest)
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let item = decision.item
        if let digest = decision.digest {
            try context.charge(item.storageCost, to: item.user)
            try context.feed.add(item, .posted(digest: digest))
        }
        context.accept { item.write(to: &$0) }
    }
}
