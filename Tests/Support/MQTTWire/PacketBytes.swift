import MQTTPackets

/// Fields of MQTT packets as bytes of their own (MQTT 5 §1.5), from which tests put together packets that nobody else
/// would send.
package enum PacketBytes {
    /// A packet with its fixed header (§2.1).
    package static func packet(_ header: UInt8, _ body: [UInt8]) -> [UInt8] { [header] + length(body.count) + body }

    /// A variable byte integer.
    package static func length(_ value: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(variableInteger: value)
        return bytes
    }

    package static func text(_ text: String) -> [UInt8] { binary(Array(text.utf8)) }

    /// Bytes behind their count.
    package static func binary(_ bytes: [UInt8]) -> [UInt8] { word(UInt16(truncatingIfNeeded: bytes.count)) + bytes }

    package static func word(_ value: UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(word: value)
        return bytes
    }

    package static func doubleWord(_ value: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(doubleWord: value)
        return bytes
    }

    /// Properties of a packet: so many user properties, each an empty name with an empty value (§3.3.2.3.7).
    package static func emptyUserProperties(_ count: Int) -> [UInt8] {
        length(5 * count) + repeatElement([0x26, 0, 0, 0, 0], count: count).joined()
    }
}
