import ParleyProtocol
import ParleyStore

/// A page of a user's conversations, the last active first.
package enum ConversationPage {
    package static func read(
        _ request: ListConversations, for user: UserID, _ snapshot: Snapshot, now: Timestamp
    ) throws -> ConversationList {
        var page = PageBuilder<ConversationKey>(limit: request.limit)
        var counted = 0
        let keys = try snapshot.listings.keys(
            of: user, archived: request.archived, limit: request.limit, offset: request.offset)
        for key in keys {
            guard counted < PageBudget.unreadCounts else { break }
            guard let listing = try snapshot.listings.listing(key, for: user, now: now) else { continue }
            counted += listing.listEntry?.unread.number ?? 0
            guard page.append(key, { listing.write(to: &$0) }) else { break }
        }
        return ConversationList(
            .json(page.json), total: try snapshot.listings.count(of: user, archived: request.archived),
            limit: request.limit, offset: request.offset)
    }
}

extension ListConversations: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        try ConversationPage.read(self, for: context.caller.user, context.snapshot, now: context.now).write
    }
}
