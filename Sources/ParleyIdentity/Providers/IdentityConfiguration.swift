import ParleyProtocol

/// The settings of identity providers.
package struct IdentityConfiguration: Sendable {
    package var providers: [IdentityProviderSettings]
    /// Whether issuers may be `http` on this machine, for development.
    package var allowsLoopback: Bool
    /// Trusted certificates in PEM, beside the system's.
    package var trustRoots: [[UInt8]]
    /// Until the end of the TLS handshake.
    package var connectLimit: Duration
    /// From the request for a provider's keys to the end of the response.
    package var fetchLimit: Duration

    package init(
        providers: [IdentityProviderSettings], allowsLoopback: Bool = false, trustRoots: [[UInt8]] = [],
        connectLimit: Duration = .seconds(5), fetchLimit: Duration = .seconds(10)
    ) {
        self.providers = providers
        self.allowsLoopback = allowsLoopback
        self.trustRoots = trustRoots
        self.connectLimit = connectLimit
        self.fetchLimit = fetchLimit
    }
}

/// A provider of OpenID Connect.
package struct IdentityProviderSettings: Hashable, Sendable {
    /// The greatest age of a token: some apps keep one for as long as it is valid, which is an hour at most.
    package static let usualMaximumAge: Duration = .seconds(600)

    package let name: IdentityProviderName
    /// `iss`, to the letter.
    package let issuer: String
    /// The client ids of our apps: `aud` and `azp`.
    package let audiences: [String]
    /// `jwks_uri`; `nil` if the issuer's document names it.
    package let keysURL: String?
    /// Of a token, from `iat` on.
    package let maximumAge: Duration

    /// - Parameter issuer: `nil` for the one of `apple` and `google`.
    /// - Throws: where another provider has no issuer.
    package init(
        name: IdentityProviderName, issuer: String?, audiences: [String], keysURL: String? = nil,
        maximumAge: Duration = IdentityProviderSettings.usualMaximumAge
    ) throws(IdentityConfigurationError) {
        guard let issuer = issuer ?? IdentityProviderSettings.knownIssuers[name] else {
            throw IdentityConfigurationError("issuer", "missing, for \(name)")
        }
        self.name = name
        self.issuer = issuer
        self.audiences = audiences
        self.keysURL = keysURL
        self.maximumAge = maximumAge
    }

    private static let knownIssuers: [IdentityProviderName: String] = [
        .apple: "https://appleid.apple.com", .google: "https://accounts.google.com",
    ]
}

/// An invalid setting, found when the gateway starts. It repeats no part of a secret.
package struct IdentityConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    package let setting: String
    package let problem: String

    init(_ setting: String, _ problem: String) { (self.setting, self.problem) = (setting, problem) }

    package var description: String { "\(setting): \(problem)" }
}
