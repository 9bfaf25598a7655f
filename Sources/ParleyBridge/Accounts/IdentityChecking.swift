import ParleyIdentity
import ParleyProtocol
import ParleyStore

/// Checks identity tokens.
protocol IdentityChecking: Sendable {
    var providers: [IdentityProvider] { get }

    /// - Parameter then: called once, after some seconds at the latest, on any thread; with `unauthenticated` for an
    ///   invalid token, `not_found` for an unknown provider, `unavailable` for one that does not answer.
    func check(
        _ proof: IdentityProof, now: Timestamp,
        then: @escaping @Sendable (Result<Identity, Rejection>) -> Void)
}

extension StoredIdentity {
    init(_ identity: Identity, linkedAt: Timestamp) {
        self.init(provider: identity.provider, subject: identity.subject, linkedAt: linkedAt)
    }
}
