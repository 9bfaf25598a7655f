/// The few MQTT 5 packets that a device of a measurement sends.
package enum PacketWriter {
    /// CONNECT (MQTT 5 §3.1).
    ///
    /// - Parameter keepsSession: whether what the broker has kept is taken up again, and kept for an hour after the
    ///   connection ends; else it begins clean and ends with the connection.
    package static func connect(
        clientID: String, username: String, password: String, keepsSession: Bool = false
    ) -> [UInt8] {
        var body = PacketBytes.text("MQTT")
        let (hasUsernameAndPassword, cleanStart): (UInt8, UInt8) = (0xC0, keepsSession ? 0 : 2)
        body += [5, hasUsernameAndPassword | cleanStart]
        body += PacketBytes.word(keepAliveSeconds)
        let sessionExpiry: [UInt8] = [0x11, 0, 0, 0x0E, 0x10]
        body += keepsSession ? [UInt8(sessionExpiry.count)] + sessionExpiry : [0]
        body += PacketBytes.text(clientID) + PacketBytes.text(username) + PacketBytes.text(password)
        return PacketBytes.packet(0x10, body)
    }

    /// SUBSCRIBE at QoS 1 (MQTT 5 §3.8).
    package static func subscribe(to filters: [String], packet identifier: UInt16) -> [UInt8] {
        var body = PacketBytes.word(identifier)
        body.append(0)
        for filter in filters { body += PacketBytes.text(filter) + [1] }
        return PacketBytes.packet(0x82, body)
    }

    /// PUBLISH at QoS 1 without properties (MQTT 5 §3.3), and where in it the packet identifier and the payload begin.
    package static func publish(topic: String, payload: [UInt8]) -> (bytes: [UInt8], identifierAt: Int, payloadAt: Int)
    {
        let body = PacketBytes.text(topic) + PacketBytes.word(0) + [0] + payload
        let bytes = PacketBytes.packet(0x32, body)
        let payloadAt = bytes.count - payload.count
        return (bytes, identifierAt: payloadAt - 3, payloadAt: payloadAt)
    }

    /// DISCONNECT (MQTT 5 §3.14).
    package static let disconnect: [UInt8] = [0xE0, 0]

    /// Longer than any measurement during which a device might have nothing to say.
    private static let keepAliveSeconds: UInt16 = 600
}
