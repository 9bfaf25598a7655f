/// The beginning of TLS (RFC 8446 §5.1), as far as it differs from MQTT.
package enum TLSRecord {
    /// Types of records: change_cipher_spec, alert, handshake. No packet that a broker sends before its verdict begins
    /// with one.
    package static let types: ClosedRange<UInt8> = 20...22

    /// Whether a server answers TLS with TLS, most likely with an alert.
    ///
    /// - Returns: `false` also without an answer within `timeout`.
    package static func isSpoken(host: String, port: UInt16, timeout: Duration) -> Bool {
        TCPProbe.answer(to: clientHello, host: host, port: port, timeout: timeout).map(types.contains) ?? false
    }

    /// The shortest TLS 1.2 hello (RFC 5246 §7.4.1.2): two cipher suites, no extensions.
    private static let clientHello: [UInt8] =
        [22, 3, 1, 0, 47, 1, 0, 0, 43, 3, 3] + [UInt8](repeating: 0x50, count: 32)
        + [0, 0, 4, 0xC0, 0x2F, 0x00, 0x9C, 1, 0]
}
