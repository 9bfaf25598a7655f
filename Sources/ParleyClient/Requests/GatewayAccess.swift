import ParleyProtocol

/// A client's requests to its gateway, and reports of the gateway's faults.
struct GatewayAccess {
    let connection: DeviceConnection
    let logs: ConversationLogs
    let hub: EventHub

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

    /// Makes a request whose reply has no content of interest.
    nonisolated(nonsending) func carryOut(_ request: some Request) async throws(ClientError) {
        do throws(RequestError) {
            try await GatewayRequests(connection).carryOut(request)
        } catch {
            throw ClientError(error)
        }
    }

    /// All pages of a list, each item once.
    ///
    /// - Parameters:
    ///   - most: more items than an honest gateway has.
    ///   - id: identifies an item.
    ///   - request: requests a page.
    /// - Throws: ``ClientError/gatewayFault(_:)``, which is reported, for a list without end.
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
            // The list may change between two pages, but only one without end has a page without new items before
            // another.
            guard items.count <= most, cursor == nil || items.count > before else { throw report(.endless) }
        } while cursor != nil
        return items
    }

    /// Emits a fault of the gateway, once.
    ///
    /// - Returns: the fault as an error.
    @discardableResult
    func report(_ fault: GatewayFaultError) -> ClientError {
        if logs.disclose(fault) { hub.emit(.gatewayFault(fault)) }
        return .gatewayFault(fault)
    }
}
