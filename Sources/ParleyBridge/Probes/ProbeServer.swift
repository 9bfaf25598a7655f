import Logging
import Platform
import Synchronization

/// A server of HTTP for probes, on 127.0.0.1 and on a thread of its own: one request a connection, GET and HEAD alone.
///
/// What others can make it hold is bounded: connections, bytes and time. Where there are too many connections the
/// oldest ends, so that those which send nothing keep nobody out.
package final class ProbeServer: Sendable {
    struct Limits {
        var connections = 16
        /// From its beginning to its end.
        var time = Duration.seconds(5)
        /// How long a port that somebody else has is waited for.
        var pause = Duration.seconds(10)
        /// The pause before the next attempt to accept a connection when the process has no free descriptor.
        var rest = Duration.seconds(1)
        var accept: @Sendable (_ listener: Int32) -> ListeningSocket.Acceptance = ListeningSocket.accept
    }

    private let port: UInt16
    private let limits: Limits
    private let answer: @Sendable (_ path: String) -> ProbeResponse
    private let logger: Logger
    private let stopped = StopFlag()
    private let wakeUp: WakeUp
    private let boundPort = Atomic<Int>(0)

    /// - Parameters:
    ///   - port: 0 for one that is free.
    ///   - answer: by the path, without a query.
    package convenience init(
        port: UInt16, logger: Logger, answer: @escaping @Sendable (_ path: String) -> ProbeResponse
    ) throws(SystemError) {
        try self.init(port: port, limits: Limits(), logger: logger, answer: answer)
    }

    init(
        port: UInt16, limits: Limits, logger: Logger, answer: @escaping @Sendable (_ path: String) -> ProbeResponse
    ) throws(SystemError) {
        (self.port, self.limits, self.logger, self.answer) = (port, limits, logger, answer)
        wakeUp = try WakeUp()
    }

    /// The port that it listens on; `nil` while it does not.
    var listeningPort: UInt16? {
        let port = boundPort.load(ordering: .acquiring)
        return port > 0 ? UInt16(port) : nil
    }

    /// Answers until `stop()`.
    package func run() async throws { try await LoopThread.run(name: "parley-probes") { [self] in try serve() } }

    package func stop() {
        stopped.raise()
        wakeUp.signal()
    }

    private func serve() throws(SystemError) {
        var report = RecurringReport(logger: logger)
        while !stopped.isRaised {
            do throws(SystemError) {
                let (listener, port) = try ListeningSocket.listen(
                    onLoopbackPort: port, backlog: Int32(limits.connections))
                boundPort.store(Int(port), ordering: .releasing)
                defer {
                    boundPort.store(0, ordering: .releasing)
                    close(listener)
                }
                report.end("probes are answered")
                try answerAll(of: listener)
            } catch {
                report.add(
                    "probes are not answered: the port of probe_port cannot be used", "127.0.0.1:\(port): \(error)")
                var watched = [WatchedDescriptor(wakeUp.descriptor)]
                try waitForEvents(&watched, timeout: limits.pause)
            }
        }
    }

    private func answerAll(of listener: Int32) throws(SystemError) {
        var connections: [ProbeConnection] = []
        defer { for connection in connections { close(connection.socket) } }
        var restsUntil: ContinuousClock.Instant?
        while !stopped.isRaised {
            var watched = [WatchedDescriptor(wakeUp.descriptor), WatchedDescriptor(listener, read: restsUntil == nil)]
            watched += connections.map(\.watched)
            let next = (connections.map(\.deadline) + (restsUntil.map { [$0] } ?? [])).min()
            let now = ContinuousClock.now
            try waitForEvents(&watched, timeout: next.map { max(.zero, now.duration(to: $0)) })
            for index in connections.indices where watched[index + 2].isReadable || watched[index + 2].isWritable {
                connections[index].proceed(answer)
            }
            let end = ContinuousClock.now
            connections.removeAll { connection in
                guard connection.isOver || connection.deadline <= end else { return false }
                close(connection.socket)
                return true
            }
            if let time = restsUntil, time <= end { restsUntil = nil }
            guard watched[1].isReadable else { continue }
            switch limits.accept(listener) {
            case .nobody: break
            case .exhausted: restsUntil = end + limits.rest
            case .connection(let descriptor):
                if connections.count == limits.connections { close(connections.removeFirst().socket) }
                connections.append(ProbeConnection(socket: descriptor, deadline: end + limits.time))
            }
        }
    }
}

/// One connection: it reads a request, writes the answer, and waits for the other side's end, so that the answer is not
/// lost with what was left unread.
struct ProbeConnection {
    private enum State {
        case reading([UInt8])
        case writing([UInt8], from: Int)
        /// After so many more bytes.
        case ending(unread: Int)
        case over
    }

    let socket: Int32
    let deadline: ContinuousClock.Instant
    private var state = State.reading([])

    /// What may come behind a request without being looked at.
    private static let mostUnread = 64 * 1024

    init(socket: Int32, deadline: ContinuousClock.Instant) {
        (self.socket, self.deadline) = (socket, deadline)
    }

    var isOver: Bool { if case .over = state { true } else { false } }

    var watched: WatchedDescriptor {
        switch state {
        case .reading, .ending: WatchedDescriptor(socket)
        case .writing: WatchedDescriptor(socket, read: false, write: true)
        case .over: WatchedDescriptor(socket, read: false)
        }
    }

    /// Reads or writes what can be read or written now.
    mutating func proceed(_ answer: (_ path: String) -> ProbeResponse) {
        switch state {
        case .reading(let bytes): read(behind: bytes, answer)
        case .writing(let bytes, let offset): write(bytes, from: offset)
        case .ending(let unread): discard(unread: unread)
        case .over: break
        }
    }

    private mutating func read(behind begin: [UInt8], _ answer: (_ path: String) -> ProbeResponse) {
        var bytes = begin
        switch ListeningSocket.read(socket, into: &bytes, atMost: ProbeRequest.longest - begin.count) {
        case .later: return
        case .ended: state = .over
        case .bytes:
            switch ProbeRequest.read(bytes) {
            case .incomplete: state = .reading(bytes)
            case .refused(let response): write(response.encoded(), from: 0)
            case .request(let request): write(answer(request.path).encoded(isHead: request.isHead), from: 0)
            }
        }
    }

    private mutating func write(_ bytes: [UInt8], from begin: Int) {
        var offset = begin
        while offset < bytes.count {
            switch ListeningSocket.write(bytes, from: offset, to: socket) {
            case .bytes(let count): offset += count
            case .later:
                state = .writing(bytes, from: offset)
                return
            case .ended:
                state = .over
                return
            }
        }
        ListeningSocket.endWriting(socket)
        state = .ending(unread: 0)
    }

    private mutating func discard(unread: Int) {
        var bytes: [UInt8] = []
        switch ListeningSocket.read(socket, into: &bytes, atMost: 4096) {
        case .later: break
        case .ended: state = .over
        case .bytes(let count):
            state = unread + count < ProbeConnection.mostUnread ? .ending(unread: unread + count) : .over
        }
    }
}
