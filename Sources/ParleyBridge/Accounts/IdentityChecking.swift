import ParleyIdentity
import ParleyProtocol
import ParleyStore

/// Checks identity tokens.
protocol IdentityChecking: Sendable {
    var providers: [IdentityProvider] { get }

    /// - Parameter then: called once, in some seconds at the latest, on any thread; with `unauthenticated` for a token
    ///   that will not do, `not_found` for an unknown provider, `unavailable` where it cannot be asked.
    func check(
        _ proof: IdentityProof, now: Timestamp,
        then: @escaping @Sendable (Result<Identity, Rejection>) -> Void)
}

/// Where there is no provider.
struct NoIdentities: IdentityChecking {
    var providers: [IdentityProvider] { [] }

    func check(
        _ proof: IdentityProof, now: Timestamp,
        then: @escaping @Sendable (Result<Identity, Rejection>) -> Void
    ) {
        then(.failure(IdentityError.unknownProvider.rejection))
    }
}

extension StoredIdentity {
    init(_ identity: Identity, linkedAt: Timestamp) {
        self.init(provider: identity.provider, subject: identity.subject, linkedAt: linkedAt)
    }
}
