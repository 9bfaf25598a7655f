import ParleyProtocol
import ParleyRules
import ParleyStore

extension StoredActivity {
    /// An item of the caller's own or of a friend who shares it.
    fileprivate static func visible(_ id: ActivityID, in context: DecisionContext) throws -> StoredActivity {
        guard let item = try context.facts.activities.visibleItem(id, to: context.sender.user) else {
            throw Rejection.activityNotFound
        }
        return item
    }
}

extension ReactToActivity: CommandHandler {
    func decide(in context: DecisionContext) throws -> StoredActivity {
        let item = try StoredActivity.visible(id, in: context)
        if item.item.reactions[context.sender.user] != emoji.text {
            try context.checkRoom(for: StorageCost.row, of: context.sender.user)
            try context.charge(.activityReactions)
        }
        return item
    }

    func apply(_ stored: StoredActivity, in context: ApplyContext) throws(StoreError) {
        let (caller, item) = (context.sender.user, stored.item)
        let earlier = item.reactions[caller]
        if earlier != emoji.text {
            if earlier == nil { try context.charge(StorageCost.row, to: caller) }
            try context.transaction.activities.react(caller, emoji, to: stored.key, at: context.now)
            try item.announce(emoji.text, in: context)
            context.feed.notify(item.user, .reaction(by: caller, to: item.id))
        }
        context.accept { item.reacted(by: caller, emoji.text).write(to: &$0) }
    }
}

extension UnreactToActivity: CommandHandler {
    func decide(in context: DecisionContext) throws -> StoredActivity {
        let item = try StoredActivity.visible(id, in: context)
        if item.item.reactions[context.sender.user] != nil { try context.charge(.activityReactions) }
        return item
    }

    func apply(_ stored: StoredActivity, in context: ApplyContext) throws(StoreError) {
        let (caller, item) = (context.sender.user, stored.item)
        if item.reactions[caller] != nil {
            try context.transaction.activities.unreact(caller, to: stored.key)
            try item.announce(nil, in: context)
        }
        context.accept { item.reacted(by: caller, nil).write(to: &$0) }
    }
}

extension ActivityItem {
    /// Publishes the caller's reaction; `nil` for none.
    fileprivate func announce(_ emoji: String?, in context: ApplyContext) throws(StoreError) {
        try context.publish(
            ActivityReaction(item: id, user: context.sender.user, owner: user, emoji: emoji, at: context.now))
    }

    fileprivate func reacted(by user: UserID, _ emoji: String?) -> ActivityItem {
        var reactions = reactions
        reactions[user] = emoji
        return ActivityItem(
            id: id, user: self.user, type: type, title: title, description: description, metadata: metadata,
            timestamp: timestamp, reactions: reactions)
    }
}

extension Rejection {
    /// The same answer for an item that does not exist and for one that the caller may not see.
    static let activityNotFound = Rejection(.notFound, "There is no such item of activity.")
}
