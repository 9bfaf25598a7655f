import Platform

/// The loop of the client's thread: it owns libcurl's connections, and waits for their sockets.
final class ClientLoop {
    private let mailbox: Mailbox
    private let wakeUp: WakeUp
    private let limits: HTTPLimits
    private let trust: TrustStore
    /// The pools that accept requests.
    private var pools: [HTTPOrigin: Pool] = [:]
    /// The pools that accept none, with requests under way.
    private var givenUp: [Pool] = []
    /// The pool of each request.
    private var origins: [TransferID: Pool] = [:]

    init(_ mailbox: Mailbox, _ wakeUp: WakeUp, limits: HTTPLimits, trust: Certificates?) {
        self.mailbox = mailbox
        self.wakeUp = wakeUp
        self.limits = limits
        self.trust = TrustStore(more: trust)
    }

    /// Runs until the mailbox is stopped, and then gives up the requests under way.
    func run() {
        while true {
            wakeUp.drain()
            let (commands, isStopped) = mailbox.next()
            for command in commands { perform(command) }
            if isStopped { break }
            closeIdle(.now)
            wait()
        }
        for pool in all { fail(pool) { $0.cancel() } }
    }

    private var all: [Pool] { Array(pools.values) + givenUp }

    private func perform(_ command: LoopCommand) {
        switch command {
        case .start(let start): begin(start)
        case .cancel(let id):
            guard let pool = origins.removeValue(forKey: id) else { return }
            pool.remove(id)?.cancel()
        }
    }

    private func begin(_ start: LoopCommand.Start) {
        do {
            let pool = try pool(for: start.origin)
            try pool.start(Transfer(start, trust: trust, limits: limits, now: .now))
            origins[start.id] = pool
        } catch {
            start.work.fail(.notSent("the request cannot be made"))
        }
    }

    private func pool(for origin: HTTPOrigin) throws(CurlError) -> Pool {
        if let pool = pools[origin] { return pool }
        if pools.count >= limits.origins,
            let oldest = pools.values.filter(\.isUnused).min(by: { $0.lastUsed < $1.lastUsed })
        {
            pools[oldest.origin] = nil
        }
        let pool = try Pool(origin, limits: limits)
        pools[origin] = pool
        return pool
    }

    private func closeIdle(_ now: ContinuousClock.Instant) {
        for pool in pools.values where pool.isUnused && pool.lastUsed + limits.idle <= now { pools[pool.origin] = nil }
        givenUp.removeAll(where: \.isUnused)
    }

    /// Waits for work, and does it.
    private func wait() {
        let pools = all
        var watched = [WatchedDescriptor(wakeUp.descriptor)]
        var owners: [Pool] = []
        var end: ContinuousClock.Instant?
        for pool in pools {
            for (socket, wants) in pool.sockets {
                watched.append(WatchedDescriptor(socket, read: wants.reads, write: wants.writes))
                owners.append(pool)
            }
            let next = pool.isUnused ? min(pool.deadline, pool.lastUsed + limits.idle) : pool.deadline
            end = min(end, next)
        }
        do throws(SystemError) {
            try waitForEvents(&watched, timeout: end.map { $0 - .now })
        } catch {
            // Without memory to wait, the requests under way are given up, so that some is free again.
            for pool in pools { fail(pool) { $0.fail(.answerLost("the connection broke")) } }
            return
        }
        for (descriptor, pool) in zip(watched.dropFirst(), owners) where descriptor.isReadable || descriptor.isWritable
        {
            pool.act(descriptor)
        }
        let now = ContinuousClock.now
        for pool in pools {
            if let deadline = pool.deadline, deadline <= now { pool.act() }
            settle(pool)
        }
    }

    /// Forgets the ended requests of a pool, and keeps new ones from a pool that is given up.
    private func settle(_ pool: Pool) {
        for id in pool.takeEnded() { origins[id] = nil }
        guard pool.isGivenUp, pools[pool.origin] === pool else { return }
        pools[pool.origin] = nil
        givenUp.append(pool)
    }

    private func fail(_ pool: Pool, _ end: (Transfer) -> Void) {
        for id in pool.transfers.keys {
            origins[id] = nil
            if let transfer = pool.remove(id) { end(transfer) }
        }
        if pools[pool.origin] === pool { pools[pool.origin] = nil }
    }

    private func min(
        _ one: ContinuousClock.Instant?, _ other: ContinuousClock.Instant?
    ) -> ContinuousClock.Instant? {
        guard let one, let other else { return one ?? other }
        return Swift.min(one, other)
    }
}
