/// Why a client of `/mqtt` is turned away, by the code that closes its WebSocket (RFC 6455 §7.4.1).
enum MQTTRefusal: UInt16, Error, Hashable, Sendable, CaseIterable {
    /// What came is no WebSocket, or no MQTT that a client sends.
    case protocolError = 1002
    /// MQTT is binary (MQTT 5 §6.0).
    case textFrame = 1003
    /// A CONNECT that nobody may send, or too much before it is answered, or too slow.
    case policy = 1008
    /// A frame, a message of many frames, or a packet.
    case tooLong = 1009
}
