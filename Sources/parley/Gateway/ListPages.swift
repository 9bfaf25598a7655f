import ParleyClient
import ParleyProtocol

extension ListPage {
    /// All of a list, page by page.
    static func all(_ list: (Page) async throws(ClientError) -> ListPage) async throws(ClientError) -> [Item] {
        var items: [Item] = []
        var cursor: String?
        // More than there are.
        for _ in 0..<1000 {
            let page = try await list(Page(limit: Limits.pageItems, cursor: cursor))
            items += page.items
            guard let next = page.nextCursor, !page.items.isEmpty else { break }
            cursor = next
        }
        return items
    }
}
