import ParleyClient
import ParleyProtocol

/// One device's connection to a ``MemoryBroker``.
final class MemoryConnection: TransportConnection {
    private let link: Int
    private let broker: MemoryBroker
    private let signal: LoopSignal

    init(_ link: Int, _ broker: MemoryBroker, _ signal: LoopSignal) {
        self.link = link
        self.broker = broker
        self.signal = signal
    }

    deinit { broker.withState { $0.close(link) } }

    var canPublish: Bool { broker.withState { $0.canPublish(link) } }

    func subscribe(to filter: String) throws(TransportError) -> PacketNumber {
        let packet = try packet()
        broker.withState { $0.subscribe(link, to: filter, as: packet) }
        return packet
    }

    func unsubscribe(from filter: String) throws(TransportError) {
        _ = try packet()
        broker.withState { $0.unsubscribe(link, from: filter) }
    }

    func publish(_ message: OutgoingMessage) throws(TransportError) -> PacketNumber {
        guard case .up(_, let operation)? = Topic(message.topic) else { throw .invalidTopic }
        let packet = try packet()
        broker.withState { $0.publish(message, operation, on: link, as: packet) }
        return packet
    }

    func exchange(until deadline: ContinuousClock.Instant?) throws(TransportError) -> [TransportEvent] {
        var found = broker.withState { $0.collect(for: link) }
        if found.events.isEmpty, found.trouble == nil {
            signal.wait(until: [deadline, found.next].compactMap(\.self).min())
            found = broker.withState { $0.collect(for: link) }
        }
        if found.events.isEmpty, let trouble = found.trouble { throw .lost(trouble) }
        return found.events
    }

    func close() { broker.withState { $0.close(link) } }

    private func packet() throws(TransportError) -> PacketNumber {
        try broker.withState { state -> Result<PacketNumber, TransportError> in
            do throws(TransportError) { return .success(try state.packet(on: link)) } catch { return .failure(error) }
        }.get()
    }
}
