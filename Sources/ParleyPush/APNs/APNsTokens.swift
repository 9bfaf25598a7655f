import OpenSSL
import ParleyProtocol
import Synchronization

/// The gateway's token for Apple's push service, which wants it between 20 minutes and an hour old
/// ("Establishing a token-based connection to APNs").
final class APNsTokens: Sendable {
    /// Seconds after which a new token is made.
    static let lifetime: Int64 = 45 * 60
    /// Seconds between tokens that Apple accepts.
    static let shortest: Int64 = 20 * 60

    struct Token: Hashable {
        let text: String
        /// Seconds since 1970.
        let issued: Int64
    }

    private struct State {
        var token: Token?
        /// When a refused token was last replaced.
        var replaced: Int64?
    }

    private let credentials: APNsCredentials
    private let state = Mutex(State())

    init(_ credentials: APNsCredentials) { self.credentials = credentials }

    func token(now: Timestamp) throws(TokenError) -> Token {
        let now = now.milliseconds / 1000
        return try state.withLock { (state) throws(TokenError) in
            // A clock that was set back would leave a token of the future.
            if let token = state.token, (0..<APNsTokens.lifetime).contains(now - token.issued) { return token }
            return try make(&state, now)
        }
    }

    /// A new token for one that was refused, at most one in 20 minutes.
    ///
    /// - Returns: `nil` where it is too early.
    func replacement(for refused: Token, now: Timestamp) throws(TokenError) -> Token? {
        let now = now.milliseconds / 1000
        return try state.withLock { (state) throws(TokenError) in
            // Another delivery has replaced it.
            if let token = state.token, token != refused { return token }
            if let replaced = state.replaced, (0..<APNsTokens.shortest).contains(now - replaced) { return nil }
            state.replaced = now
            return try make(&state, now)
        }
    }

    private func make(_ state: inout State, _ now: Int64) throws(TokenError) -> Token {
        let text = try SignedToken.make(by: credentials.key.sign) {
            $0.member("alg", "ES256")
            $0.member("kid", credentials.keyID)
        } claims: {
            $0.member("iss", credentials.teamID)
            $0.member("iat", Int(now))
        }
        let token = Token(text: text, issued: now)
        state.token = token
        return token
    }
}
