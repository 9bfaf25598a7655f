/// What the broker sends (MQTT 5).
enum BrokerPacket {
    /// Signed in, with nothing kept from before.
    static let welcome: [UInt8] = [0x20, 3, 0, 0, 0]
    /// Not signed in: not authorized.
    static let refusal: [UInt8] = [0x20, 3, 0, 0x87, 0]
    static let pong: [UInt8] = [0xD0, 0]

    static func published(_ packet: UInt16) -> [UInt8] { [0x40, 2] + bytes(packet) }

    /// Every filter is granted, at QoS 1.
    static func subscribed(_ packet: UInt16, count: Int) -> [UInt8] {
        framed(0x90, bytes(packet) + [0] + [UInt8](repeating: 1, count: count))
    }

    static func unsubscribed(_ packet: UInt16, count: Int) -> [UInt8] {
        framed(0xB0, bytes(packet) + [0] + [UInt8](repeating: 0, count: count))
    }

    /// An event at QoS 1.
    static func event(_ topic: String, _ payload: [UInt8], packet: UInt16) -> [UInt8] {
        framed(0x32, text(topic) + bytes(packet) + [0] + payload)
    }

    /// A reply at QoS 0.
    static func reply(_ topic: String, _ payload: [UInt8], correlationData: [UInt8]?) -> [UInt8] {
        let property = correlationData.map { [0x09] + bytes(UInt16(truncatingIfNeeded: $0.count)) + $0 } ?? []
        return framed(0x30, text(topic) + variable(property.count) + property + payload)
    }

    private static func framed(_ header: UInt8, _ body: [UInt8]) -> [UInt8] { [header] + variable(body.count) + body }

    private static func text(_ text: String) -> [UInt8] {
        let characters = Array(text.utf8)
        return bytes(UInt16(truncatingIfNeeded: characters.count)) + characters
    }

    private static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    private static func variable(_ value: Int) -> [UInt8] {
        var (bytes, rest): ([UInt8], Int) = ([], value)
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }
}
