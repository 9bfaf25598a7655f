import MQTTPackets
import ParleyProtocol

/// The only packet allowed before signing in, as in broker-config/haproxy.cfg for MQTT over TLS: complete, short, of
/// MQTT 3.1.1 or 5, with username and password, without a will, with a possible client id.
enum MQTTSignIn {
    /// In bytes, with its header.
    static let longestConnect = 4096

    /// The decision about a CONNECT.
    enum Verdict: Hashable, Sendable {
        case passOn
        /// The door answers with this CONNACK in the broker's place, and closes.
        case refuse([UInt8])
    }

    /// The end of the CONNECT at the start of `bytes`; `nil` while it is incomplete.
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

    /// - Parameter connect: a complete packet.
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
        // The broker treats all connections of the door as local, and accepts operators from local ones. Whether the
        // token is valid, the broker decides.
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
