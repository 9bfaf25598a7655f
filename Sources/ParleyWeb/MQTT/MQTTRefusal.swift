/// The refusal of a client of `/mqtt`, as the close code of its WebSocket (RFC 6455 §7.4.1).
enum MQTTRefusal: UInt16, Error, Hashable, Sendable, CaseIterable {
    /// Invalid WebSocket frames, or packets that no client of MQTT sends.
    case protocolError = 1002
    /// MQTT is binary (MQTT 5 §6.0).
    case textFrame = 1003
    /// A forbidden CONNECT, too many bytes before its CONNACK, or a client that is too slow.
    case policy = 1008
    /// A frame, a fragmented message or a packet that is too long.
    case tooLong = 1009
}
