import HTTPClient
import ParleyClient
import Platform

/// A transport connection over a WebSocket.
final class WebSocketConnection: TransportConnection {
    private let stream: ByteStream
    private let signal: LoopSignal
    private var session: PacketSession
    private var frames = WebSocketFrames()
    /// What the network has not taken.
    private var unsent: [UInt8] = []
    /// Whether input may be there that the descriptor does not show.
    private var hasMore = false

    /// Of one reading or frame, in bytes.
    private static let piece = 65_536
    /// What may wait for a network, or a door, that takes nothing, in bytes: more than what may be published meanwhile,
    /// so that it is answers to a door that sends and does not read.
    private static let mostUnsent = 1 << 24

    init(_ stream: consuming ByteStream, _ session: PacketSession, signal: LoopSignal) {
        self.stream = stream
        (self.session, self.signal) = (session, signal)
    }

    /// Shakes hands and signs in, until `deadline`.
    func open(_ handshake: WebSocketHandshake, _ deadline: ContinuousClock.Instant) throws(ConnectionError) {
        unsent = handshake.request
        var answer: [UInt8] = []
        var end: Int?
        while end == nil {
            answer += try receive(until: deadline, isSigningIn: true)
            end = try handshake.end(of: answer)
        }
        var events = try handle(Array(answer[(end ?? 0)...]))
        while !session.isOpen {
            sendFrames()
            events += try handle(try receive(until: deadline, isSigningIn: true))
        }
        // Nothing is subscribed to in a session that begins.
        guard events.isEmpty else { throw .other(WebSocketError.malformed) }
    }

    var canPublish: Bool { session.canPublish }

    func subscribe(to filter: String) throws(TransportError) -> PacketNumber { try session.subscribe(to: filter) }

    func unsubscribe(from filter: String) throws(TransportError) { try session.unsubscribe(from: filter) }

    func publish(_ message: OutgoingMessage) throws(TransportError) -> PacketNumber { try session.publish(message) }

    func exchange(until deadline: ContinuousClock.Instant?) throws(TransportError) -> [TransportEvent] {
        do throws(ConnectionError) {
            try session.tick(.now)
            sendFrames()
            let bytes = try receive(until: min(deadline ?? session.deadline, session.deadline))
            return try handle(bytes)
        } catch {
            throw .lost(error)
        }
    }

    func close() {
        session.disconnect()
        while !session.output.isEmpty { addFrame() }
        unsent += WebSocketFrames.close
        _ = try? stream.send(unsent)
    }

    private func handle(_ bytes: [UInt8]) throws(ConnectionError) -> [TransportEvent] {
        let data: [UInt8]
        do throws(WebSocketError) {
            data = try frames.receive(bytes)
        } catch {
            throw error == .closed ? .lost : .other(error)
        }
        let events = try session.receive(data, now: .now)
        unsent += frames.takeAnswers()
        guard unsent.count + session.output.count <= WebSocketConnection.mostUnsent else { throw .lost }
        return events
    }

    /// Puts a piece of what the session has to send into a frame, unless enough waits. A packet may be in several ones
    /// (MQTT 5 §6.0).
    private func sendFrames() {
        guard unsent.count < WebSocketConnection.piece, !session.output.isEmpty else { return }
        addFrame()
    }

    private func addFrame() {
        let next = session.output.prefix(WebSocketConnection.piece)
        unsent += WebSocketFrames.data(Array(next))
        session.sent(next.count, now: .now)
    }

    /// Sends what waits, and waits for input, the signal or `deadline`.
    ///
    /// - Parameter isSigningIn: whether it is an error that nothing has come by then.
    /// - Returns: what has come; empty where the signal or the deadline was first.
    private func receive(
        until deadline: ContinuousClock.Instant, isSigningIn: Bool = false
    ) throws(ConnectionError) -> [UInt8] {
        do throws(ByteStreamFailure) {
            try flush()
            if !hasMore {
                try wait(until: deadline)
                try flush()
            }
            let bytes = try stream.receive(limit: WebSocketConnection.piece)
            // TLS may hold more than the descriptor shows.
            hasMore = !bytes.isEmpty
            guard bytes.isEmpty, isSigningIn, ContinuousClock.now >= deadline else { return bytes }
            throw .timedOut
        } catch {
            throw ConnectionError(error)
        }
    }

    private func flush() throws(ByteStreamFailure) {
        while !unsent.isEmpty {
            let count = try stream.send(unsent)
            guard count > 0 else { return }
            unsent.removeFirst(count)
        }
    }

    private func wait(until deadline: ContinuousClock.Instant) throws(ByteStreamFailure) {
        var watched = [
            WatchedDescriptor(stream.descriptor, write: !unsent.isEmpty || !session.output.isEmpty),
            WatchedDescriptor(signal.wakeUp.descriptor),
        ]
        do throws(SystemError) {
            try waitForEvents(&watched, timeout: max(.zero, deadline - .now))
        } catch {
            throw .lost
        }
    }
}
