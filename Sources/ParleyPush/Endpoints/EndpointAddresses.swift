import HTTPClient
import ParleyProtocol
import Synchronization

/// The permitted addresses of endpoints' hosts, resolved and cached for a moment.
///
/// Connections go to the cached addresses: a name that resolves to another address meanwhile changes nothing.
final class EndpointAddresses: Sendable {
    /// How long a name is not resolved again.
    static let kept: Duration = .seconds(30)

    private struct Entry {
        let addresses: [IPAddress]
        /// After that they are used only where the name is not resolved in time.
        var until: ContinuousClock.Instant
    }

    private let policy: EndpointPolicy
    private let limit: Duration
    private let lookups: HostLookups
    private let known: Mutex<RecentlyUsed<String, Entry>>

    init(
        policy: EndpointPolicy, limit: Duration, names: Int, lookup: @escaping HostLookups.Lookup = HostLookup.addresses
    ) {
        self.policy = policy
        self.limit = limit
        lookups = HostLookups(lookup)
        known = Mutex(RecentlyUsed(limit: names))
    }

    func stop() { lookups.stop() }

    /// The addresses that the gateway may connect to, at least one.
    ///
    /// - Parameter user: whose device has named the endpoint.
    func addresses(of endpoint: WebURL, for user: UserID) async throws(EndpointFault) -> [IPAddress] {
        if let fault = policy.fault(of: endpoint) { throw fault }
        let host = endpoint.host
        let entry = known.withLock { $0[host] }
        if let entry, entry.until > .now { return entry.addresses }
        guard let found = await lookups.addresses(of: host, for: user, within: limit) else {
            // They were permitted when they were resolved.
            guard let entry else { throw .notLookedUp }
            return entry.addresses
        }
        let addresses = try policy.permitted(found)
        known.withLock {
            $0[host] = Entry(addresses: addresses, until: .now + EndpointAddresses.kept)
            _ = $0.trim()
        }
        return addresses
    }

    /// Has the name resolved again next time, because its addresses were not reached.
    func expire(_ endpoint: WebURL) { known.withLock { $0[endpoint.host]?.until = .now } }
}
