import NIOCore
import NIOPosix
import ParleyProtocol
import Synchronization

/// The addresses of endpoints' hosts, looked up on threads of its own and remembered for a moment.
///
/// What is remembered is the very addresses that were judged: a name that stands for another address by the time of the
/// connection changes nothing.
final class EndpointAddresses: Sendable {
    typealias Lookup = @Sendable (String) -> [IPAddress]

    /// For how long a name is not looked up again.
    static let kept: Duration = .seconds(30)
    /// How many names may be looked up at once: a resolver that does not answer holds one for some seconds.
    private static let threads = 16

    private struct Entry {
        let addresses: [IPAddress]
        let until: ContinuousClock.Instant
    }

    private enum Pool {
        /// No name was looked up yet: there are no threads.
        case unused
        case started(NIOThreadPool)
        case stopped
    }

    private let policy: EndpointPolicy
    private let limit: Duration
    private let group: any EventLoopGroup
    private let lookup: Lookup
    private let pool = Mutex(Pool.unused)
    private let known: Mutex<RecentlyUsed<String, Entry>>

    init(
        policy: EndpointPolicy, limit: Duration, names: Int, group: any EventLoopGroup,
        lookup: @escaping Lookup = HostLookup.addresses
    ) {
        self.policy = policy
        self.limit = limit
        self.group = group
        self.lookup = lookup
        known = Mutex(RecentlyUsed(limit: names))
    }

    /// Lets its threads end, whenever the resolver lets them. No name is looked up any more.
    func stop() {
        let pool = pool.withLock { pool in
            defer { pool = .stopped }
            return pool
        }
        switch pool {
        case .unused, .stopped: break
        case .started(let pool): pool.shutdownGracefully { _ in }
        }
    }

    private func startedPool() -> NIOThreadPool? {
        pool.withLock { pool in
            switch pool {
            case .unused:
                let started = NIOThreadPool(numberOfThreads: EndpointAddresses.threads)
                started.start()
                pool = .started(started)
                return started
            case .started(let started): return started
            case .stopped: return nil
            }
        }
    }

    /// The addresses that may be connected to, at least one.
    func addresses(of endpoint: PushEndpoint) async throws(EndpointFault) -> [IPAddress] {
        if let fault = policy.fault(of: endpoint) { throw fault }
        let host = endpoint.host
        if let entry = known.withLock({ $0[host] }), entry.until > .now { return entry.addresses }
        let addresses = try policy.permitted(await find(host))
        known.withLock {
            $0[host] = Entry(addresses: addresses, until: .now + EndpointAddresses.kept)
            _ = $0.trim()
        }
        return addresses
    }

    /// They were not reached: the name is looked up anew next time.
    func forget(_ endpoint: PushEndpoint) { known.withLock { $0[endpoint.host] = nil } }

    private func find(_ host: String) async -> [IPAddress] {
        guard let pool = startedPool() else { return [] }
        let loop = group.any()
        let promise = loop.makePromise(of: [IPAddress].self)
        let timer = loop.scheduleTask(in: .nanoseconds(limit.wholeNanoseconds)) { promise.succeed([]) }
        let lookup = lookup
        pool.runIfActive(eventLoop: loop) { lookup(host) }.whenComplete { result in
            timer.cancel()
            // After its time it is no answer any more: the first one counts.
            promise.completeWith(result)
        }
        return (try? await promise.futureResult.get()) ?? []
    }
}
