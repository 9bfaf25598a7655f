import MQTTPackets

/// The few MQTT 5 packets that a device of a measurement sends.
package enum PacketWriter {
    /// CONNECT.
    ///
    /// - Parameter keepsSession: whether what the broker has kept is taken up again, and kept for an hour after the
    ///   connection ends; else it begins clean and ends with the connection.
    package static func connect(
        clientID: String, username: String, password: String, keepsSession: Bool = false
    ) throws(WireError) -> [UInt8] {
        var connect = OutboundPacket.Connect(
            clientID: Array(clientID.utf8), username: Array(username.utf8), password: Array(password.utf8),
            keepAliveSeconds: keepAliveSeconds)
        connect.isCleanStart = !keepsSession
        connect.sessionExpirySeconds = keepsSession ? 3600 : nil
        return try OutboundPacket.connect(connect).bytes
    }

    /// SUBSCRIBE at QoS 1.
    package static func subscribe(to filters: [String], packet identifier: UInt16) throws(WireError) -> [UInt8] {
        let subscriptions = filters.map {
            OutboundPacket.Subscription(filter: Array($0.utf8), quality: .atLeastOnce)
        }
        return try OutboundPacket.subscribe(subscriptions, packet: identifier).bytes
    }

    /// PUBLISH at QoS 1 without properties, and where in it the packet identifier and the payload begin.
    ///
    /// - Parameter identifier: the first one, if it is to be sent more than once.
    package static func publish(
        topic: String, payload: [UInt8], packet identifier: UInt16 = 1
    ) throws(WireError) -> (bytes: [UInt8], identifierAt: Int, payloadAt: Int) {
        let publish = OutboundPacket.Publish(topic: Array(topic.utf8), payload: payload, identifier: identifier)
        let bytes = try OutboundPacket.publish(publish).bytes
        let payloadAt = bytes.count - payload.count
        return (bytes, identifierAt: payloadAt - 3, payloadAt: payloadAt)
    }

    /// DISCONNECT.
    package static let disconnect: [UInt8] = [0xE0, 0]

    /// Longer than any measurement during which a device might have nothing to say.
    private static let keepAliveSeconds: UInt16 = 600
}
