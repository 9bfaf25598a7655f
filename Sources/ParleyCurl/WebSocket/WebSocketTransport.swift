import HTTPClient
import ParleyClient
import ParleyProtocol
import Platform

/// A device's transport to a web door, as MQTT over WebSocket (RFC 6455), with or without TLS: for networks that let
/// nothing else pass. By libcurl, whose proxy it does not ask.
public struct WebSocketTransport: DeviceTransport {
    public init() {}

    public func connect(_ signIn: SignIn, signal: LoopSignal) throws(ConnectionError) -> any TransportConnection {
        guard case .webSocket(let url, let caFile) = signIn.gateway, let place = WebSocketPlace(url) else {
            throw .other(WebSocketError.notSpoken)
        }
        let deadline = ContinuousClock.now + signIn.timeout
        let stream = try place.stream(trusting: caFile, timeout: signIn.timeout)
        let connection = WebSocketConnection(stream, try PacketSession(signIn, now: .now), signal: signal)
        try connection.open(WebSocketHandshake(host: place.authority, path: place.path, nonce: .random(16)), deadline)
        return connection
    }
}

/// A URL of `ws` or `wss` in its parts.
struct WebSocketPlace: Hashable {
    /// As HTTP has it: `https://HOST:PORT`.
    let origin: String
    let authority: String
    let path: String

    init?(_ url: String) {
        let schemes = [("wss://", "https://"), ("ws://", "http://")]
        guard let (own, http) = schemes.first(where: { url.hasPrefix($0.0) }) else { return nil }
        let rest = url.dropFirst(own.utf8.count)
        guard WebURL(http + rest) != nil else { return nil }
        authority = String(rest.prefix { $0 != "/" && $0 != "?" })
        let path = rest.dropFirst(authority.count)
        self.path = path.hasPrefix("/") ? String(path) : "/\(path)"
        origin = http + authority
    }

    fileprivate func stream(trusting caFile: String?, timeout: Duration) throws(ConnectionError) -> ByteStream {
        do throws(ByteStreamFailure) {
            return try ByteStream.open(origin, trusting: caFile, timeout: timeout)
        } catch {
            throw ConnectionError(error)
        }
    }
}

extension ConnectionError {
    init(_ failure: ByteStreamFailure) {
        switch failure {
        case .nameNotResolved: self = .nameNotResolved
        case .unreachable(let errno): self = .unreachable(errno: errno)
        case .timedOut: self = .timedOut
        case .certificate: self = .notTrusted
        case .noTLS: self = .tlsNotSpoken
        case .lost: self = .lost
        case .unusableAuthority, .system: self = .other(failure)
        }
    }
}

extension [UInt8] {
    fileprivate static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: .min ... .max) } }
}
