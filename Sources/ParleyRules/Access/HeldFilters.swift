import ParleyProtocol

/// The filters that sessions have subscribed to, to recognize repeated ones.
///
/// The broker never frees its allocations for a repeated filter. A session from before the broker's start is known from
/// its first SUBSCRIBE on. Bounded for each client.
struct HeldFilters: Sendable {
    /// More than a session may have.
    private static let mostFilters = 16_384

    /// By the filters' hashes.
    private var filters: [ClientID: Set<Int>] = [:]

    /// Inserts a filter, and returns whether it is a repeated one.
    mutating func insert(_ filter: Span<UInt8>, of client: ClientID) -> Bool {
        guard (filters[client]?.count ?? 0) < HeldFilters.mostFilters else { return true }
        return !filters[client, default: []].insert(filter.hash).inserted
    }

    mutating func remove(_ filter: Span<UInt8>, of client: ClientID) { filters[client]?.remove(filter.hash) }

    /// The client has no session, or a new one.
    mutating func forget(_ client: ClientID) { filters[client] = nil }

    /// Further connections of devices have ended, which leave no session.
    mutating func forgetConnections(in clientIDs: [String]) {
        for clientID in clientIDs {
            let bytes = Array(clientID.utf8)
            if let id = ClientID(parsing: bytes.span), id.connection != nil { forget(id) }
        }
    }

    mutating func retain(where isThere: (DeviceAddress) -> Bool) {
        filters = filters.filter { isThere($0.key.address) }
    }
}
