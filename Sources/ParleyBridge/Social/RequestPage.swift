import ParleyProtocol
import ParleyStore

/// A page of the message requests that wait for its caller, the newest first: at most so many, at most so many bytes,
/// and always one.
struct RequestPage {
    private let requests: [[UInt8]]
    private let nextCursor: String?

    static func read(_ page: Page, for caller: UserID, _ snapshot: Snapshot) throws -> RequestPage {
        let list = PagedList(name: "requests/list", caller: caller, owner: caller)
        let cursor = try PageCursor(page.cursor, of: list)
        var requests: [[UInt8]] = []
        var bytes = 0
        var (last, isCut): (ListPosition?, Bool) = (nil, false)
        try snapshot.waitingRequests(for: caller, after: cursor?.position, limit: page.limit + 1) { request in
            var writer = JSONWriter()
            MessageRequest(message: request.message).write(to: &writer)
            isCut = requests.count == page.limit || (last != nil && bytes + writer.count > Limits.pageBytes)
            guard !isCut else { return false }
            bytes += writer.count + 1
            requests.append(writer.finish())
            last = ListPosition(time: request.createdAt, user: request.sender)
            return true
        }
        return RequestPage(
            requests: requests, nextCursor: isCut ? try last.map { try PageCursor($0).text(of: list) } : nil)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("items", array: requests) { $0.raw($1) }
            object.member("next_cursor", nextCursor)
        }
    }
}

extension ListRequests: QueryHandler {
    func answer(in context: QueryContext, _ outgoing: inout Outgoing) throws {
        let page = try RequestPage.read(page, for: context.caller.user, context.snapshot)
        outgoing.accept(context.route) { page.write(to: &$0) }
    }
}
