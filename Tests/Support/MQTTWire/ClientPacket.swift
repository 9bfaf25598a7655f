import MQTTPackets

/// What a client sends, as far as a broker of tests has to understand it (MQTT 5).
package enum ClientPacket: Sendable {
    case connect(clientID: String)
    case publish(Publish)
    /// The client has a message that was sent at QoS 1.
    case acknowledge
    case subscribe(packet: UInt16, filters: [String])
    case unsubscribe(packet: UInt16, filters: [String])
    case ping
    case disconnect

    package struct Publish: Sendable {
        package let topic: String
        /// `nil` at QoS 0.
        package let packet: UInt16?
        package let responseTopic: String?
        package let correlationData: [UInt8]?
        package let payload: [UInt8]
    }
}

extension ClientPacket {
    /// Longer than anything that a client of the protocol sends, in bytes.
    private static let longest = 512 * 1024

    /// Takes the first whole packet out of what has come; `nil` where none is whole yet.
    package static func take(from input: inout [UInt8]) throws(WireError) -> ClientPacket? {
        guard let (header, body) = try PacketFields.removePacket(from: &input, longest: longest) else { return nil }
        var fields = PacketFields(body)
        return try read(header, &fields, body)
    }

    private static func read(
        _ header: UInt8, _ fields: inout PacketFields, _ body: [UInt8]
    ) throws(WireError) -> ClientPacket {
        switch header >> 4 {
        case 1: return try readConnect(body)
        case 3: return .publish(try readPublish(header, &fields))
        case 4: return .acknowledge
        case 8: return .subscribe(packet: try fields.word(), filters: try readFilters(&fields, haveOptions: true))
        case 10: return .unsubscribe(packet: try fields.word(), filters: try readFilters(&fields, haveOptions: false))
        case 12: return .ping
        case 14: return .disconnect
        default: throw .malformed
        }
    }

    private static func readConnect(_ body: [UInt8]) throws(WireError) -> ClientPacket {
        let connect = try ConnectRequest(in: body.span, body: body.indices)
        guard connect.version == .mqtt5 else { throw .malformed }
        // Whose password it is does not matter here: everybody is let in.
        return .connect(clientID: String(decoding: body[connect.clientID], as: UTF8.self))
    }

    private static func readPublish(_ header: UInt8, _ fields: inout PacketFields) throws(WireError) -> Publish {
        let topic = try fields.text()
        let quality = header >> 1 & 3
        guard quality < 2 else { throw .malformed }
        let packet = quality == 1 ? try fields.word() : nil
        let properties = try fields.properties()
        return Publish(
            topic: topic, packet: packet,
            responseTopic: properties.responseTopic.map { String(decoding: fields[$0], as: UTF8.self) },
            correlationData: properties.correlationData.map { fields[$0] }, payload: fields.rest())
    }

    private static func readFilters(
        _ fields: inout PacketFields, haveOptions: Bool
    ) throws(WireError) -> [String] {
        _ = try fields.properties()
        var filters: [String] = []
        while !fields.isAtEnd {
            filters.append(try fields.text())
            if haveOptions { _ = try fields.byte() }
        }
        return filters
    }
}
