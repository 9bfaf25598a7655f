import ParleyProtocol

/// Why nobody is known by a token.
package enum IdentityError: Error, Hashable, Sendable {
    /// The settings have no such provider.
    case unknownProvider
    /// The token will never do.
    case token(TokenFault)
    /// The provider's keys cannot be had at the moment.
    case unavailable

    /// What a device is told: the same for every token, so that nobody learns by trying what another would be.
    package var rejection: Rejection {
        switch self {
        case .unknownProvider: Rejection(.notFound, "There is no such identity provider.")
        case .token: Rejection(.unauthenticated, "The identity token is not valid.")
        case .unavailable:
            Rejection(
                .unavailable, "The identity provider cannot be asked at the moment.",
                retryAfterMilliseconds: Int(KeyCache.pauseAfterFailure / .milliseconds(1)))
        }
    }
}

/// What is wrong with a token: for tests and counters, never for the one who sent it.
package enum TokenFault: Error, Hashable, Sendable, CaseIterable {
    // The form.
    case tooLong
    /// Not three parts in base64url without padding.
    case notCompact
    /// Not an object of JSON as the protocol has it: duplicate names, too deep, too many members.
    case headerNotJSON
    case claimsNotJSON

    // The header.
    /// Neither `RS256` nor `ES256`: also `none`, and those of shared secrets.
    case algorithm
    /// A key, or the place of one, in the token itself.
    case keyInHeader
    /// Extensions that must be understood (RFC 7515 §4.1.11).
    case criticalHeader
    /// A token of another kind (RFC 8725 §3.11).
    case type
    case noKeyID

    // The signature.
    case unknownKey
    case keyOfOtherAlgorithm
    case signature

    // The claims.
    /// A claim that is missing or of another type.
    case malformedClaim
    case issuer
    /// None of ours, or one that is not ours beside it.
    case audience
    /// `azp` is not ours, or missing where there are several audiences.
    case authorizedParty
    case expired
    /// `nbf`
    case notYetValid
    case issuedInFuture
    case tooOld
    case noNonce
    case otherNonce
    /// The token was asked for with a nonce, and who sends it does not say which.
    case nonceNotGiven
    case subject
}
