import MQTTClient
import ParleyProtocol
import ParleyStore

/// The requests that a relay has not published yet, in order, in one arena.
struct RelayQueue {
    private var bytes: [UInt8] = []
    private var messages: [OutboundMessage] = []
    private var published = 0
    /// The position in the database of the last message that was stored.
    private var position = StreamPosition.start

    /// Where the conversation's id stands in a payload of the load generator, which puts it first.
    private static let conversation = 20..<56
    private static let topicPrefix = Array("\(Topic.prefix)conversations/".utf8)
    private static let topicSuffix = Array("/messages".utf8)

    /// Adds the requests of a batch, each under the topic of its conversation and as it came.
    ///
    /// - Returns: which they are here.
    mutating func append(_ batch: InboundBatch) -> Range<Int> {
        if published == messages.count {
            bytes.removeAll(keepingCapacity: true)
            messages.removeAll(keepingCapacity: true)
            published = 0
        }
        let first = messages.count
        for request in batch.messages where RelayQueue.isRequest(request, in: batch) {
            let start = bytes.count
            let id = request.payload.lowerBound + RelayQueue.conversation.lowerBound
            bytes += RelayQueue.topicPrefix
            bytes += batch.bytes[id..<(id + RelayQueue.conversation.count)]
            bytes += RelayQueue.topicSuffix
            let topicEnd = bytes.count
            bytes += batch.bytes[request.payload]
            messages.append(OutboundMessage(topic: start..<topicEnd, payload: topicEnd..<bytes.count))
        }
        return first..<messages.count
    }

    /// The plugin tells the gateway's intake of presence as well, on a topic of the broker's own.
    private static func isRequest(_ message: InboundMessage, in batch: InboundBatch) -> Bool {
        message.payload.count > conversation.upperBound
            && batch.bytes[message.topic].first != UInt8(ascii: "$")
    }

    /// Commits messages in one synced transaction, into a table without any index but its key.
    mutating func commit(_ range: Range<Int>, to store: Store) throws {
        guard !range.isEmpty else { return }
        try store.write { transaction in
            var writes = PendingWrites()
            for message in messages[range] {
                position = try position.next()
                writes.append(
                    position: position, topic: bytes[message.topic], payload: bytes[message.payload],
                    retain: false)
            }
            _ = try transaction.apply(writes)
        }
    }

    /// Goes on behind the last stored message.
    mutating func resume(after store: Store) throws {
        position = try store.read { try $0.outbox.lastPosition() }
    }

    /// Publishes as far as the connection takes it.
    mutating func publish(over connection: MQTTConnection) throws {
        while published < messages.count, connection.canPublish {
            try connection.publish(messages[published], in: bytes)
            published += 1
        }
    }
}
