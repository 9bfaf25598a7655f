import NIOCore
import ParleyClient
import Platform
import Synchronization

/// A transport connection over a channel. The connection's thread decodes and encodes; the channel's event loop only
/// moves bytes.
final class NIOConnection: TransportConnection {
    private let channel: any Channel
    private let inbox: Inbox
    private let signal: LoopSignal
    private var session: PacketSession
    private let writing = Writing()

    /// Of one write, in bytes: NIO does not report the progress within it.
    private static let piece = 65_536
    /// What may wait for a broker that sends and does not read, in bytes: answers beyond what may be published.
    private static let mostUnsent = 1 << 24

    /// Whether the network has not taken all of what was written last.
    private final class Writing: Sendable {
        private let isUnderWay = Atomic(false)

        /// - Returns: whether nothing was under way.
        func begin() -> Bool { !isUnderWay.exchange(true, ordering: .acquiring) }
        func end() { isUnderWay.store(false, ordering: .releasing) }
    }

    init(_ channel: any Channel, _ session: PacketSession, _ inbox: Inbox, signal: LoopSignal) {
        (self.channel, self.session, self.inbox, self.signal) = (channel, session, inbox, signal)
    }

    /// A connection that was lost is let go of without `close()`, and its event loop holds the channel.
    deinit { channel.close(promise: nil) }

    /// Awaits the CONNACK.
    func signIn(until deadline: ContinuousClock.Instant) throws(ConnectionError) {
        while true {
            try send()
            do throws(ConnectionError) {
                // A broker that says more has nothing to say: nothing is subscribed to yet.
                _ = try receive()
            } catch .lost {
                throw .notReady
            }
            if session.isOpen { return inbox.open() }
            guard ContinuousClock.now < deadline else { throw .timedOut }
            try wait(for: [inbox.arrival], until: deadline)
        }
    }

    var canPublish: Bool { session.canPublish }

    func subscribe(to filter: String) throws(TransportError) -> PacketNumber { try session.subscribe(to: filter) }

    func unsubscribe(from filter: String) throws(TransportError) { try session.unsubscribe(from: filter) }

    func publish(_ message: OutgoingMessage) throws(TransportError) -> PacketNumber { try session.publish(message) }

    func exchange(until deadline: ContinuousClock.Instant?) throws(TransportError) -> [TransportEvent] {
        do throws(ConnectionError) {
            try session.tick(.now)
            // Receives first: that drains the signal by which the end of a write lets the next one begin.
            let events = try receive()
            try send()
            if !events.isEmpty { return events }
            try wait(for: [inbox.arrival, signal.wakeUp], until: min(deadline ?? session.deadline, session.deadline))
            return try receive()
        } catch {
            throw .lost(error)
        }
    }

    func close() {
        session.disconnect()
        channel.writeAndFlush(ByteBuffer(bytes: session.output), promise: nil)
        channel.close(promise: nil)
    }

    /// Hands the network what there is to send, unless it has not taken what was written before.
    private func send() throws(ConnectionError) {
        guard session.output.count <= NIOConnection.mostUnsent else { throw .lost }
        guard !session.output.isEmpty, writing.begin() else { return }
        let next = session.output.prefix(NIOConnection.piece)
        channel.writeAndFlush(ByteBuffer(bytes: next)).whenComplete { [writing, inbox] _ in
            writing.end()
            inbox.arrival.signal()
        }
        session.sent(next.count, now: .now)
    }

    private func receive() throws(ConnectionError) -> [TransportEvent] {
        let (bytes, mayRead) = try inbox.take()
        let events = try session.receive(bytes, now: .now)
        if mayRead { channel.read() }
        return events
    }

    private func wait(for wakeUps: [WakeUp], until deadline: ContinuousClock.Instant) throws(ConnectionError) {
        var watched = wakeUps.map { WatchedDescriptor($0.descriptor) }
        do throws(SystemError) {
            try waitForEvents(&watched, timeout: max(.zero, deadline - .now))
        } catch {
            throw .lost
        }
    }
}
