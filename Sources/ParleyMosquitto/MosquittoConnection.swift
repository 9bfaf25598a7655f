import MQTTClient
import ParleyClient
import Platform

/// A transport connection over libmosquitto.
final class MosquittoConnection: TransportConnection {
    private let connection: MQTTConnection
    private let signal: LoopSignal
    private var batch = InboundBatch()
    private var housekeeping = ContinuousClock.now.advanced(by: MosquittoConnection.housekeepingPause)
    /// Whether input is buffered that no descriptor shows.
    private var hasMore = false

    private static let batchLimit = 256
    private static let housekeepingPause: Duration = .seconds(1)

    /// - Parameter connection: after sign-in.
    init(_ connection: MQTTConnection, signal: LoopSignal) { (self.connection, self.signal) = (connection, signal) }

    var canPublish: Bool { connection.canPublish }

    func subscribe(to filter: String) throws(TransportError) -> PacketNumber {
        do throws(MQTTError) { return PacketNumber(try connection.subscribe(to: filter)) } catch { throw .init(error) }
    }

    func unsubscribe(from filter: String) throws(TransportError) {
        do throws(MQTTError) { try connection.unsubscribe(from: filter) } catch { throw .init(error) }
    }

    func publish(_ message: OutgoingMessage) throws(TransportError) -> PacketNumber {
        var arena = Array(message.topic.utf8)
        var packet = OutboundMessage(topic: arena.indices, payload: arena.append(range: message.payload))
        if let reply = message.reply {
            packet.responseTopic = arena.append(range: reply.topic.utf8)
            packet.correlationData = arena.append(range: reply.correlationData)
        }
        do throws(MQTTError) { return PacketNumber(try connection.publish(packet, in: arena)) } catch {
            throw .init(error)
        }
    }

    func exchange(until deadline: ContinuousClock.Instant?) throws(TransportError) -> [TransportEvent] {
        do throws(MQTTError) {
            if ContinuousClock.now >= housekeeping {
                try connection.housekeeping()
                housekeeping = .now.advanced(by: MosquittoConnection.housekeepingPause)
            }
            try connection.flush()
            if !hasMore { try wait(until: min(deadline ?? housekeeping, housekeeping)) }
            hasMore = try connection.readBatch(into: &batch, limit: MosquittoConnection.batchLimit) == .unfinished
        } catch {
            throw .init(error)
        }
        return events()
    }

    func close() { connection.disconnect() }

    private func wait(until deadline: ContinuousClock.Instant) throws(MQTTError) {
        var watched = [
            WatchedDescriptor(connection.fileDescriptor, write: connection.wantsWrite),
            WatchedDescriptor(signal.wakeUp.descriptor),
        ]
        do throws(SystemError) {
            try waitForEvents(&watched, timeout: max(.zero, deadline - .now))
        } catch {
            throw .connectionLost(errno: error.errno)
        }
    }

    /// The events read last: the messages, then the broker's answers.
    private func events() -> [TransportEvent] {
        var events = batch.messages.map { message in
            TransportEvent.message(
                IncomingMessage(
                    topic: String(decoding: batch.bytes[message.topic], as: UTF8.self),
                    payload: Array(batch.bytes[message.payload]),
                    correlationData: message.correlationData.map { Array(batch.bytes[$0]) },
                    isRetained: message.isRetained))
        }
        var acknowledgements: [Acknowledgement] = []
        connection.drainAcknowledgements(into: &acknowledgements)
        events += acknowledgements.map { .published(PacketNumber($0.packet), PublishVerdict($0.reason)) }
        var results: [SubscriptionResult] = []
        connection.drainSubscriptionResults(into: &results)
        events += results.map { .subscribed(PacketNumber($0.packet), isGranted: !$0.reason.isFailure) }
        return events
    }
}

extension PacketNumber {
    fileprivate init(_ packet: PacketIdentifier) { self.init(rawValue: UInt32(packet.rawValue)) }
}

extension PublishVerdict {
    init(_ reason: ReasonCode) {
        guard reason.isFailure else {
            self = .accepted
            return
        }
        self = reason == .quotaExceeded ? .noRoom : .refused
    }
}

extension [UInt8] {
    /// Appends bytes, and returns their range.
    fileprivate mutating func append(range bytes: some Sequence<UInt8>) -> Range<Int> {
        let start = count
        append(contentsOf: bytes)
        return start..<count
    }
}
