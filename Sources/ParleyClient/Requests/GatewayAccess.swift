import ParleyProtocol

/// A client's way to its gateway: requests, and the report of what the gateway says and cannot be so.
struct GatewayAccess {
    let connection: DeviceConnection
    let logs: ConversationLogs
    let hub: EventHub

    /// Makes a request, and waits for its reply.
    @discardableResult
    nonisolated(nonsending) func ask<R: Request>(
        _ request: R, timeout: Duration = .seconds(30)
    ) async throws(ClientError) -> R.Reply where R.Reply: GatewayValue {
        do throws(RequestError) {
            return try await GatewayRequests(connection, timeout: timeout).ask(request)
        } catch {
            throw ClientError(error)
        }
    }

    /// Makes a request of whose reply nothing is read but that it was accepted.
    nonisolated(nonsending) func carryOut(_ request: some Request) async throws(ClientError) {
        do throws(RequestError) {
            try await GatewayRequests(connection).carryOut(request)
        } catch {
            throw ClientError(error)
        }
    }

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
            // Between two pages something may change; of no honest gateway is a page of nothing new with another behind
            // it.
            guard items.count <= most, cursor == nil || items.count > before else { throw report(.endless) }
        } while cursor != nil
        return items
    }

    /// Reports a fault of the gateway, once, and gives it as an error.
    @discardableResult
    func report(_ fault: GatewayFaultError) -> ClientError {
        if logs.disclose(fault) { hub.emit(.gatewayFault(fault)) }
        return .gatewayFault(fault)
    }
}
