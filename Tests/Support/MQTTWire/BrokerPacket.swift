/// What the broker sends (MQTT 5).
package enum BrokerPacket {
    /// Signed in, with nothing kept from before.
    package static let welcome: [UInt8] = [0x20, 3, 0, 0, 0]
    /// Not signed in: not authorized.
    package static let refusal: [UInt8] = [0x20, 3, 0, 0x87, 0]
    package static let pong: [UInt8] = [0xD0, 0]

    package static func published(_ packet: UInt16) -> [UInt8] { [0x40, 2] + PacketBytes.word(packet) }

    /// Every filter is granted, at QoS 1.
    package static func subscribed(_ packet: UInt16, count: Int) -> [UInt8] {
        PacketBytes.packet(0x90, PacketBytes.word(packet) + [0] + [UInt8](repeating: 1, count: count))
    }

    package static func unsubscribed(_ packet: UInt16, count: Int) -> [UInt8] {
        PacketBytes.packet(0xB0, PacketBytes.word(packet) + [0] + [UInt8](repeating: 0, count: count))
    }

    /// An event at QoS 1.
    package static func event(_ topic: String, _ payload: [UInt8], packet: UInt16) -> [UInt8] {
        PacketBytes.packet(0x32, PacketBytes.text(topic) + PacketBytes.word(packet) + [0] + payload)
    }

    /// A reply at QoS 0.
    package static func reply(_ topic: String, _ payload: [UInt8], correlationData: [UInt8]?) -> [UInt8] {
        let property = correlationData.map { [0x09] + PacketBytes.binary($0) } ?? []
        return PacketBytes.packet(
            0x30, PacketBytes.text(topic) + PacketBytes.length(property.count) + property + payload)
    }
}
