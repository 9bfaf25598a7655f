import HTTPClient
import Logging
import ParleyProtocol

/// Checks identity tokens of the providers in the settings.
///
/// It answers by a callback, so that no caller's thread waits for a provider: a provider that does not answer must not
/// delay the sign-ins by others, which the same thread serves.
package final class IdentityProviders: Sendable {
    private struct Provider {
        let settings: IdentityProviderSettings
        let audiences: Set<String>
        let keys: KeyRing
    }

    private let client: HTTPClient
    private let providers: [IdentityProviderName: Provider]

    package convenience init(
        _ configuration: IdentityConfiguration, logger: Logger
    ) throws(IdentityConfigurationError) {
        try self.init(configuration, logger: logger, clock: { .now })
    }

    /// - Parameter clock: for the age of keys.
    init(
        _ configuration: IdentityConfiguration, logger: Logger,
        clock: @escaping @Sendable () -> ContinuousClock.Instant
    ) throws(IdentityConfigurationError) {
        guard let trust = Certificates(pem: configuration.trustRoots) else {
            throw IdentityConfigurationError("trust", "not certificates in PEM")
        }
        let limits = HTTPLimits(
            connect: configuration.connectLimit, connections: 2, streams: 2,
            origins: max(8, configuration.providers.count * 2), body: KeyFetch.longestDocument)
        client = HTTPClient(limits: limits, trust: trust)
        var providers: [IdentityProviderName: Provider] = [:]
        for settings in configuration.providers {
            let fetch = try KeyFetch(settings, configuration, client: client)
            guard (1...32).contains(settings.audiences.count),
                settings.audiences.allSatisfy(IdentityProviders.isClientID)
            else { throw IdentityConfigurationError("audiences", "not 1 to 32 client ids, for \(settings.name)") }
            let provider = Provider(
                settings: settings, audiences: Set(settings.audiences),
                keys: KeyRing(fetch, logger: logger, clock: clock))
            guard providers.updateValue(provider, forKey: settings.name) == nil else {
                throw IdentityConfigurationError("providers", "\(settings.name) is there twice")
            }
        }
        self.providers = providers
    }

    private static func isClientID(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Sorted by name.
    package var settings: [IdentityProviderSettings] {
        providers.values.map(\.settings).sorted { $0.name < $1.name }
    }

    /// Owns the connections to providers, on a thread of its own, until ``stop()``. It runs once.
    ///
    /// - Throws: if connections are impossible.
    package func run() async throws { try await client.run() }

    /// Ends ``run()``; checks that wait for keys fail as unavailable.
    package func stop() { client.stop() }

    /// Checks an identity token. Returns at once.
    ///
    /// - Parameters:
    ///   - nonce: of the app's request to the provider, not hashed; `nil` if it had none.
    ///   - then: called once, after ``IdentityConfiguration/fetchLimit`` at the latest: before this returns if the
    ///     provider's keys are cached, otherwise on the connections' thread. It must not block.
    package func check(
        _ token: [UInt8], of name: IdentityProviderName, nonce: String?, now: Timestamp,
        then: @escaping @Sendable (Result<Identity, IdentityError>) -> Void
    ) {
        guard let provider = providers[name] else { return then(.failure(.unknownProvider)) }
        let expected = TokenExpectation(
            provider: name, issuer: provider.settings.issuer, audiences: provider.audiences,
            maximumAge: provider.settings.maximumAge, nonce: nonce, now: now)
        do throws(TokenFault) {
            let token = try IdentityToken(parsing: token)
            provider.keys.find(token) { key in then(key.flatMap { token.identity(signedBy: $0, expected) }) }
        } catch {
            then(.failure(.token(error)))
        }
    }
}

extension IdentityToken {
    fileprivate func identity(signedBy key: ProviderKey, _ expected: TokenExpectation) -> Result<
        Identity, IdentityError
    > {
        do throws(TokenFault) {
            guard isSigned(by: key) else { throw .signature }
            return .success(try IdentityClaims(claims).identity(expected))
        } catch {
            return .failure(.token(error))
        }
    }
}

extension KeyFetch {
    fileprivate init(
        _ settings: IdentityProviderSettings, _ configuration: IdentityConfiguration, client: HTTPClient
    ) throws(IdentityConfigurationError) {
        let allowsLoopback = configuration.allowsLoopback
        guard let issuer = ServiceURL(settings.issuer, allowsLoopback: allowsLoopback),
            !settings.issuer.utf8.contains(UInt8(ascii: "?"))
        else { throw IdentityConfigurationError("issuer", "not an https URL without a query, for \(settings.name)") }
        var keysURL: ServiceURL?
        if let text = settings.keysURL {
            guard let url = ServiceURL(text, allowsLoopback: allowsLoopback) else {
                throw IdentityConfigurationError("keys_url", "not an https URL, for \(settings.name)")
            }
            keysURL = url
        }
        self.init(client: client, issuer: issuer, keysURL: keysURL, limit: configuration.fetchLimit)
    }
}
