import MQTTPackets
import ParleyProtocol

/// The one packet that a stranger may send, as broker-config/haproxy.cfg has it for MQTT over TLS: whole, short, of
/// MQTT 3.1.1 or 5, with username and password, without a will, with a client id that somebody can have.
enum MQTTSignIn {
    /// In bytes, with its header.
    static let longestConnect = 4096

    /// What the door does with a CONNECT.
    enum Verdict: Hashable, Sendable {
        case passOn
        /// It answers in the broker's place with this CONNACK, and closes.
        case refuse([UInt8])
    }

    /// Where the CONNECT ends that `bytes` begin with; `nil` while it is not whole.
    static func end(in bytes: Span<UInt8>) throws(MQTTRefusal) -> Int? {
        guard !bytes.isEmpty else { return nil }
        guard bytes[0] == 0x10 else { throw .protocolError }
        guard let header = try header(in: bytes) else { return nil }
        guard header.body.upperBound <= longestConnect else { throw .tooLong }
        return header.body.upperBound <= bytes.count ? header.body.upperBound : nil
    }

    private static func header(in bytes: Span<UInt8>) throws(MQTTRefusal) -> PacketHeader? {
        do throws(WireError) {
            return try PacketHeader.read(in: bytes, from: 0, to: bytes.count)
        } catch {
            throw .protocolError
        }
    }

    /// - Parameter connect: a whole packet.
    static func judge(_ connect: Span<UInt8>) throws(MQTTRefusal) -> Verdict {
        guard let header = try header(in: connect) else { throw .protocolError }
        let request: ConnectRequest
        do throws(WireError) {
            request = try ConnectRequest(in: connect, body: header.body)
        } catch {
            throw .protocolError
        }
        guard !request.hasWill, request.username != nil, let password = request.password,
            ClientID(parsing: connect.extracting(request.clientID)) != nil
        else { throw .policy }
        // To the broker everybody who comes through the door is on this machine, where it lets operators in. Whether a
        // token is one at all is for the broker to say.
        if let token = AccessToken(parsing: connect.extracting(password)), token.claims.role != .device {
            return .refuse(notAuthorized(request.version))
        }
        return .passOn
    }

    /// CONNACK (§3.2): not authorized.
    private static func notAuthorized(_ version: ConnectRequest.Version) -> [UInt8] {
        switch version {
        case .mqtt311: [0x20, 2, 0, 5]
        case .mqtt5: [0x20, 3, 0, ReasonCode.notAuthorized.rawValue, 0]
        }
    }
}
