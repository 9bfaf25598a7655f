import ParleyProtocol

/// The failure of checking a token.
package enum IdentityError: Error, Hashable, Sendable {
    /// The settings have no such provider.
    case unknownProvider
    /// The token is invalid, for good.
    case token(TokenFault)
    /// The provider's keys cannot be fetched at the moment.
    case unavailable

    /// The refusal for a device: the same for every invalid token, so that it gives no hint for the next attempt.
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

/// The fault of a token: for tests and counters, never for its sender.
package enum TokenFault: Error, Hashable, Sendable, CaseIterable {
    // The form.
    case tooLong
    /// Not three parts in base64url without padding.
    case notCompact
    /// Not a JSON object within the protocol's bounds: duplicate names, too deep, too many members.
    case headerNotJSON
    case claimsNotJSON

    // The header.
    /// Neither `RS256` nor `ES256`, such as `none` and the algorithms of shared secrets.
    case algorithm
    /// A key, or the URL of one, in the token itself.
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
    /// None of ours, or another beside ours.
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
    /// The token has a nonce, and its sender does not name it.
    case nonceNotGiven
    case subject
}
