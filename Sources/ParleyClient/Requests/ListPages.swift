import ParleyProtocol

extension ClientContext {
    /// All of a list that comes in pages, each item once.
    ///
    /// - Parameters:
    ///   - most: more than an honest gateway has.
    ///   - id: what an item is known by.
    ///   - request: asks for a page.
    /// - Throws: ``ClientError/gatewayFault(_:)`` for a list that does not end, which is reported.
    nonisolated(nonsending) func all<R: Request, Item, ID: Hashable>(
        most: Int, by id: (Item) -> ID, _ request: (Page) -> R
    ) async throws(ClientError) -> [Item] where R.Reply == ListPage<Item>, R.Reply: GatewayValue {
        var items: [Item] = []
        var known: Set<ID> = []
        var cursor: String?
        repeat {
            let page = try await ask(request(Page(limit: Limits.pageItems, cursor: cursor)))
            let before = items.count
            for item in page.items where known.insert(id(item)).inserted { items.append(item) }
            cursor = page.nextCursor
            // Between two pages something may change; a page of nothing new, and another behind it, is of no honest gateway.
            guard items.count <= most, cursor == nil || items.count > before else { throw report(.endless) }
        } while cursor != nil
        return items
    }
}
