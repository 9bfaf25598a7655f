import OpenSSL
import ParleyProtocol
import Synchronization

/// Tokens by which the gateway identifies itself to push services (RFC 8292), one for each origin. Times in seconds.
final class VAPIDTokens: Sendable {
    /// Services refuse more than a day (RFC 8292 §2).
    static let lifetime: Int64 = 12 * 3600
    /// A token that expires sooner is replaced.
    static let shortestLeft: Int64 = 3600

    private struct Token {
        let text: String
        /// Seconds since 1970.
        let expires: Int64
    }

    private let key: VAPIDKey
    private let subject: String
    private let tokens: Mutex<RecentlyUsed<String, Token>>

    /// - Parameter subject: whom a push service may write to about the gateway (RFC 8292 §2.1).
    init(key: VAPIDKey, subject: String, origins: Int) {
        self.key = key
        self.subject = subject
        tokens = Mutex(RecentlyUsed(limit: origins))
    }

    /// The value of `Authorization` (RFC 8292 §3).
    func authorization(for origin: String, now: Timestamp) throws(TokenError) -> String {
        let now = now.milliseconds / 1000
        let known = tokens.withLock { $0[origin] }
        if let known, (VAPIDTokens.shortestLeft...VAPIDTokens.lifetime).contains(known.expires - now) {
            return header(known.text)
        }
        let token = Token(
            text: try VAPIDTokens.sign(audience: origin, expires: now + VAPIDTokens.lifetime, subject, key),
            expires: now + VAPIDTokens.lifetime)
        tokens.withLock {
            $0[origin] = token
            _ = $0.trim()
        }
        return header(token.text)
    }

    /// The token of RFC 8292 §2.
    static func sign(audience: String, expires: Int64, _ subject: String, _ key: VAPIDKey) throws(TokenError) -> String
    {
        try SignedToken.make(by: key.key.sign) {
            $0.member("typ", "JWT")
            $0.member("alg", "ES256")
        } claims: {
            $0.member("aud", audience)
            $0.member("exp", Int(expires))
            $0.member("sub", subject)
        }
    }

    private func header(_ token: String) -> String { "vapid t=\(token), k=\(key.publicKeyText)" }
}
