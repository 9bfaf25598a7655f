import HTTPClient
import ParleyProtocol
import Platform
import Synchronization

/// Resolves names on threads of its own: the call blocks for seconds where a name server does not answer.
///
/// A name is resolved once for all who ask for it at a time, and one user's names hold a quarter of the threads at
/// most.
final class HostLookups: Sendable {
    /// Gets what was found, and is finished without it where nothing was found in time.
    typealias Answer = AsyncStream<[IPAddress]>.Continuation
    /// It may block.
    typealias Lookup = @Sendable (String) -> [IPAddress]

    private let lookup: Lookup
    private let queue: Mutex<LookupQueue>

    /// - Parameter threads: how many names may be looked up at once.
    init(threads: Int = 16, _ lookup: @escaping Lookup) {
        self.lookup = lookup
        queue = Mutex(LookupQueue(threads: threads))
    }

    /// Resolves nothing that waits. A thread ends when the resolver returns.
    func stop() {
        for answer in queue.withLock({ $0.stop() }) { answer.finish() }
    }

    /// - Parameter user: who has named the host.
    /// - Returns: `nil` where the resolver does not answer in time, or the calling task is cancelled.
    func addresses(of host: String, for user: UserID, within limit: Duration) async -> [IPAddress]? {
        let (answers, answer) = AsyncStream.makeStream(of: [IPAddress].self)
        switch queue.withLock({ $0.ask(host, for: user, answer) }) {
        case .stopped: return nil
        case .queued: break
        case .needsThread: startThread()
        }
        let addresses = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await Task.sleep(for: limit)
                answer.finish()
            }
            let addresses = await answers.first { _ in true }
            group.cancelAll()
            return addresses
        }
        if addresses == nil { queue.withLock { $0.giveUp(host, answer) } }
        return addresses
    }

    private func startThread() {
        do throws(SystemError) {
            // It ends when there is nothing to resolve.
            try LoopThread.detach(name: "parley-lookup") { [self] in work() }
        } catch {
            // Those who wait have a time limit.
            queue.withLock { $0.threadEnded() }
        }
    }

    private func work() {
        while let host = queue.withLock({ $0.next() }) {
            let addresses = lookup(host)
            for answer in queue.withLock({ $0.finish(host) }) { answer.yield(addresses) }
        }
    }
}
