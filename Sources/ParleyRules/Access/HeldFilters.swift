import ParleyProtocol

/// Which filters the sessions of devices have subscribed to, so that subscribing to the same one again is known.
///
/// The broker never frees what it has allocated for a SUBSCRIBE to a filter that the session has already. A session that was
/// there before the broker started is known from its first SUBSCRIBE on. Bounded by the filters that a session may have.
struct HeldFilters: Sendable {
    /// By the filters' hashes.
    private var filters: [ClientID: Set<Int>] = [:]

    /// A client subscribes; whether it has subscribed to the same filter before.
    mutating func insert(_ filter: Span<UInt8>, of client: ClientID) -> Bool {
        !filters[client, default: []].insert(filter.hash).inserted
    }

    mutating func remove(_ filter: Span<UInt8>, of client: ClientID) { filters[client]?.remove(filter.hash) }

    /// The client has no session any more, or begins with a new one.
    mutating func forget(_ client: ClientID) { filters[client] = nil }

    mutating func retain(where isThere: (DeviceAddress) -> Bool) {
        filters = filters.filter { isThere($0.key.address) }
    }
}
