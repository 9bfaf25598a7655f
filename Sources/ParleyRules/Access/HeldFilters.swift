import ParleyProtocol

/// Which filters the sessions of devices have subscribed to, so that subscribing to the same one again is known.
///
/// The broker never frees what it has allocated for a SUBSCRIBE to a filter that the session has already. A session
/// that was there before the broker started is known from its first SUBSCRIBE on. Bounded for each client.
struct HeldFilters: Sendable {
    /// More than a session may have.
    private static let mostFilters = 16_384

    /// By the filters' hashes.
    private var filters: [ClientID: Set<Int>] = [:]

    /// A client subscribes; whether it has subscribed to the same filter before.
    mutating func insert(_ filter: Span<UInt8>, of client: ClientID) -> Bool {
        guard (filters[client]?.count ?? 0) < HeldFilters.mostFilters else { return true }
        return !filters[client, default: []].insert(filter.hash).inserted
    }

    mutating func remove(_ filter: Span<UInt8>, of client: ClientID) { filters[client]?.remove(filter.hash) }

    /// The client has no session any more, or begins with a new one.
    mutating func forget(_ client: ClientID) { filters[client] = nil }

    /// Connections have ended: a further one of a device leaves no session.
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
