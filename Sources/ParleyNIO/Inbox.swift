import NIOCore
import ParleyClient
import Platform
import Synchronization

/// What a channel has read and the connection's thread has not taken: that of one reading, as the channel reads when
/// asked, and at its end what the system still holds.
final class Inbox: Sendable {
    /// Signalled when there is something to take.
    let arrival: WakeUp
    private let state = Mutex(State())

    private struct State {
        var bytes: [UInt8] = []
        /// Whether all of the last reading is here.
        var isComplete = true
        var end: ConnectionError?
        var isOpen = false
    }

    init() throws(SystemError) { arrival = try WakeUp() }

    func add(_ bytes: ByteBuffer) { state.withLock { $0.bytes.append(contentsOf: bytes.readableBytesView) } }

    func complete() {
        state.withLock { $0.isComplete = true }
        arrival.signal()
    }

    /// The broker has accepted the sign-in: whatever ends the channel from now on, another one may be had.
    func open() { state.withLock { $0.isOpen = true } }

    /// The first reason stays.
    func end(_ reason: ConnectionError) {
        state.withLock { $0.end = $0.end ?? ($0.isOpen ? .lost : reason) }
        arrival.signal()
    }

    /// - Returns: the bytes since the last call, and whether the channel is to read again.
    /// - Throws: why the channel has ended, after all bytes were returned.
    func take() throws(ConnectionError) -> (bytes: [UInt8], mayRead: Bool) {
        arrival.drain()
        let (bytes, mayRead, end) = state.withLock { state in
            let taken = (state.bytes, state.isComplete, state.end)
            (state.bytes, state.isComplete) = ([], false)
            return taken
        }
        guard let end else { return (bytes, mayRead) }
        guard !bytes.isEmpty else { throw end }
        arrival.signal()
        return (bytes, false)
    }
}

/// Puts what its channel reads into an inbox.
final class InboxHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    let inbox: Inbox
    private let reason: @Sendable (any Error) -> ConnectionError?

    init(reason: @escaping @Sendable (any Error) -> ConnectionError?) throws(SystemError) {
        (inbox, self.reason) = (try Inbox(), reason)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { inbox.add(unwrapInboundIn(data)) }

    func channelReadComplete(context: ChannelHandlerContext) { inbox.complete() }

    func channelInactive(context: ChannelHandlerContext) { inbox.end(.lost) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        inbox.end(error is IOError ? .lost : ConnectionError(error, reason))
        context.close(promise: nil)
    }
}
