import GatewaySite
import MQTTClient
import Platform
import ParleyProtocol

/// A device that asks for one page of history after the other.
struct HistoryReader {
    private let connection: MQTTConnection
    private let topic: String
    private var batch = InboundBatch()

    init(_ seat: Population.Seat, port: UInt16) throws {
        let address = seat.address
        var configuration = MQTTConfiguration(
            endpoint: .tcp(host: "127.0.0.1", port: port), clientID: "\(address.user):\(address.device)")
        configuration.username = address.user.description
        configuration.password = Secret(seat.token)
        connection = try MQTTConnection(configuration)
        try connection.connect(timeout: .seconds(10))
        topic = "\(Topic.prefix)up/\(address.user)/\(address.device)/history/get"
        try connection.subscribe(to: "\(Topic.prefix)down/\(address.user)/\(address.device)/#")
        var results: [SubscriptionResult] = []
        while results.isEmpty {
            try exchange()
            connection.drainSubscriptionResults(into: &results)
        }
    }

    /// Reads the newest page of 50; how long it took from request to reply, in nanoseconds.
    mutating func read(_ conversation: ConversationID) throws -> Int64 {
        try ask(Array(#"{"conversation_id":"\#(conversation)"}"#.utf8))
    }

    /// Reads a page; how long it took, as above.
    mutating func page(_ request: GetHistory) throws -> (page: HistoryReply, taken: Int64) {
        let taken = try ask(request.payload())
        let reply = try JSONObject(parsing: Array(batch.bytes[batch.messages[0].payload]))
        guard let data = try reply.object("data") else { throw LoadError.missing("data") }
        return (try HistoryReply(members: data), taken)
    }

    private mutating func ask(_ payload: [UInt8]) throws -> Int64 {
        let begun = MonotonicTime.now
        try connection.publish(topic: topic, payload: payload)
        repeat {
            try exchange()
        } while batch.isEmpty
        let taken = MonotonicTime.now - begun
        guard batch.bytes[batch.messages[0].topic].suffix(8).elementsEqual("accepted".utf8) else {
            throw LoadError.rejected(String(decoding: batch.bytes[batch.messages[0].payload], as: UTF8.self))
        }
        return taken
    }

    private mutating func exchange() throws {
        try connection.flush()
        var watched = [WatchedDescriptor(connection.fileDescriptor, write: connection.wantsWrite)]
        guard try waitForEvents(&watched, timeout: .seconds(10)) > 0 else { throw LoadError.missing("reply") }
        try connection.readBatch(into: &batch, limit: 100)
    }
}
