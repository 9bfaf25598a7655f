import NIOCore

/// A WebSocket as a session's listener: it collects events for it. Used on the session's event loop, which may be
/// another than the WebSocket's.
final class EventSocket: SessionListener {
    private struct State {
        /// Events received since the last flush, or before all subscriptions were acknowledged.
        var events: [[UInt8]] = []
        /// In bytes; counted until all subscriptions are acknowledged.
        var early = 0
        var isEstablished = false
        var isOver = false
    }

    private let channel: any Channel
    private let state: NIOLoopBoundBox<State>

    /// The most bytes of events before all subscriptions are acknowledged; a session with more starts anew.
    private static let mostEarlyEvents = 4096
    private static let mostEarlyBytes = 4_194_304

    init(_ channel: any Channel, sessionLoop: any EventLoop) {
        self.channel = channel
        state = NIOLoopBoundBox.makeBoxSendingValue(State(), eventLoop: sessionLoop)
    }

    func receive(_ event: [UInt8]) {
        guard !state.value.isOver else { return }
        state.value.events.append(event)
        guard !state.value.isEstablished else { return }
        state.value.early += event.count
        guard state.value.events.count <= EventSocket.mostEarlyEvents, state.value.early <= EventSocket.mostEarlyBytes
        else { return end(.unavailable) }
    }

    func flush() {
        guard state.value.isEstablished, !state.value.events.isEmpty else { return }
        channel.writeAndFlush(EventSocketHandler.Command.send(state.value.events), promise: nil)
        state.value.events.removeAll(keepingCapacity: true)
    }

    /// Sends events from here on, the earlier ones first.
    func establish(_ greeting: [UInt8]) {
        state.value.isEstablished = true
        state.value.events.insert(greeting, at: 0)
        flush()
    }

    func end(_ cause: SessionEnd) {
        guard !state.value.isOver else { return }
        flush()
        state.value.isOver = true
        state.value.events = []
        channel.writeAndFlush(EventSocketHandler.Command.close(cause), promise: nil)
    }
}
