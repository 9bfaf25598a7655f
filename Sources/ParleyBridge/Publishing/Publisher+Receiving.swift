import Logging
import MQTTClient
import ParleyProtocol

extension Publisher {
    /// Reads acknowledgements, the plugin's answers and the broker's statistics.
    func receive(_ audience: inout AudienceRelay, _ connection: MQTTConnection) throws {
        try connection.readBatch(into: &batch, limit: 1000)
        for message in batch.messages {
            let topic = String(decoding: batch.bytes[message.topic], as: UTF8.self)
            let payload = batch.bytes[message.payload]
            if topic == AudienceChange.responseTopic {
                try audience.handle(AudienceCodec.answer(in: Array(payload)))
            } else if topic == BrokerStatistics.droppedTopic,
                let dropped = Int(String(decoding: payload, as: UTF8.self))
            {
                shared.counters.brokerDropped.set(dropped)
            } else {
                shared.counters.operating.hear(topic, String(decoding: payload, as: UTF8.self))
            }
        }
        acknowledgements.removeAll(keepingCapacity: true)
        connection.drainAcknowledgements(into: &acknowledgements)
        for acknowledgement in acknowledgements {
            if try audience.handle(acknowledgement) { continue }
            if acknowledgement.packet == selfRequest {
                selfRequest = nil
                shared.selfRequest.withLock { $0.recordAcknowledgement(now: .now) }
                continue
            }
            guard publications.recordAcknowledgement(of: acknowledgement.packet) else { continue }
            shared.counters.published.add(1)
            if acknowledgement.reason.isFailure {
                shared.counters.dropped.add(1)
                logger.warning(
                    "the broker refused an event or reply", metadata: ["reason": "\(acknowledgement.reason)"])
            }
        }
    }
}
