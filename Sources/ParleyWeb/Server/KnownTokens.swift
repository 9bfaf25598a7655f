import NIOConcurrencyHelpers
import ParleyProtocol

/// Tokens that were read before, by their text: an app shows the same one with each request. Whether one holds is not
/// known here; the broker decides.
struct KnownTokens: Sendable {
    private let tokens = NIOLockedValueBox(BoundedCache<String, SessionToken>(capacity: KnownTokens.most))

    /// Each of a few hundred bytes.
    private static let most = 4096

    /// - Returns: `nil` for what is no token.
    func token(_ text: String) -> SessionToken? {
        if let known = tokens.withLockedValue({ $0[text] }) { return known }
        guard let token = SessionToken(text) else { return nil }
        tokens.withLockedValue { $0[token.text] = token }
        return token
    }
}
