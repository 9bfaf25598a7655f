import HTTPClient
import ParleyProtocol
import Synchronization

/// The addresses of endpoints' hosts, looked up beside everything else and remembered for a moment.
///
/// What is remembered is the very addresses that were judged: a name that stands for another address by the time of the
/// connection changes nothing.
final class EndpointAddresses: Sendable {
    /// For how long a name is not looked up again.
    static let kept: Duration = .seconds(30)

    private struct Entry {
        let addresses: [IPAddress]
        /// After that they are used only where they cannot be looked up anew in time.
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

    /// No name is looked up any more.
    func stop() { lookups.stop() }

    /// The addresses that may be connected to, at least one.
    ///
    /// - Parameter user: whose device has named the endpoint.
    func addresses(of endpoint: PushEndpoint, for user: UserID) async throws(EndpointFault) -> [IPAddress] {
        if let fault = policy.fault(of: endpoint) { throw fault }
        let host = endpoint.host
        let entry = known.withLock { $0[host] }
        if let entry, entry.until > .now { return entry.addresses }
        guard let found = await lookups.addresses(of: host, for: user, within: limit) else {
            // They were judged when they were found.
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

    /// They were not reached: the name is looked up anew next time.
    func expire(_ endpoint: PushEndpoint) { known.withLock { $0[endpoint.host]?.until = .now } }
}
