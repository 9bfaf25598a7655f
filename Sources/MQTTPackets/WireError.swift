package enum WireError: Error {
    /// The bytes are not MQTT, or no MQTT that is sent in this direction.
    case malformed
    /// The packet is longer than its reader takes, or a field longer than a packet can carry (65,535 bytes).
    case tooLong
}
