import ParleyProtocol

/// Who somebody is to a provider of identities.
struct CheckedIdentity: Hashable, Sendable {
    let provider: IdentityProviderName
    /// The provider never gives it to another person.
    let subject: String
}

/// Checks identity tokens.
protocol IdentityChecking: Sendable {
    var providers: [IdentityProvider] { get }

    /// - Parameter then: called once, in some seconds at the latest, on any thread; with `unauthenticated` for a token
    ///   that will not do, `not_found` for an unknown provider, `unavailable` where it cannot be asked.
    func check(
        _ proof: IdentityProof, now: Timestamp,
        then: @escaping @Sendable (Result<CheckedIdentity, Rejection>) -> Void)
}

/// Where there is no provider.
struct NoIdentities: IdentityChecking {
    var providers: [IdentityProvider] { [] }

    func check(
        _ proof: IdentityProof, now: Timestamp,
        then: @escaping @Sendable (Result<CheckedIdentity, Rejection>) -> Void
    ) {
        then(.failure(Rejection(.notFound, "There is no such identity provider.")))
    }
}
