import MQTTPackets
import Platform

/// Whether a server speaks TLS where plain MQTT was tried, or the other way around: it closes without a reason, as one
/// does that is not ready.
package enum TLSDiagnosis {
    /// Connects once more, by TCP, and sends the first packet of the other protocol, which has nothing of the device.
    ///
    /// - Parameter timeout: for each address of the host, and for the answer.
    package static func look(at gateway: GatewayAddress, timeout: Duration) -> ConnectionError? {
        switch gateway {
        case .unixSocket, .webSocket: nil
        case .tcp(let host, let port):
            TLSRecord.isSpoken(host: host, port: port, timeout: timeout) ? .tlsRequired : nil
        case .tls(let host, let port, _):
            TCPProbe.answer(to: anonymousSignIn, host: host, port: port, timeout: timeout) == connectionAnswer
                ? .tlsNotSpoken : nil
        }
    }

    private static let anonymousSignIn: [UInt8] = {
        var bytes: [UInt8] = []
        let connect = OutboundPacket.Connect(
            clientID: Array("probe".utf8), username: [], password: [], keepAliveSeconds: 30)
        try? OutboundPacket.connect(connect).append(to: &bytes)
        return bytes
    }()

    /// The first byte of a CONNACK (MQTT 5 §3.2.1), whatever it says.
    private static let connectionAnswer: UInt8 = 0x20
}
