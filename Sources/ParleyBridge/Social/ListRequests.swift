import ParleyProtocol
import ParleyStore

/// The caller's unanswered message requests, the newest first.
extension ListRequests: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        return try context.page(page, of: Self.operation) { (position: ListPosition?, page) in
            try context.snapshot.requests.waiting(for: context.caller.user, after: position, limit: page.limit + 1) {
                request in
                page.append(ListPosition(time: request.createdAt, user: request.sender)) {
                    MessageRequest(message: request.message).write(to: &$0)
                }
            }
        }.write
    }
}
