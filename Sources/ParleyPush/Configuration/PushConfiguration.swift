import HTTPClient
import ParleyProtocol

/// The configuration of push services.
package struct PushConfiguration: Sendable {
    /// The values of ``ProviderSetting/all`` by their names: a text, or the contents of a file, which is missing where
    /// none is set.
    package var values: [String: [UInt8]]
    /// The gateway's own key for Web Push.
    package var vapid: VAPIDKey
    /// Whether endpoints may be `http` and at addresses that are not public, for development.
    package var allowsPrivateEndpoints: Bool
    /// Certificates in PEM that are trusted beside the system's.
    package var trustRoots: [[UInt8]]
    package var timeouts: PushTimeouts
    package var limits: PushLimits

    package init(
        values: [String: [UInt8]], vapid: VAPIDKey, allowsPrivateEndpoints: Bool, trustRoots: [[UInt8]],
        timeouts: PushTimeouts = PushTimeouts(), limits: PushLimits = PushLimits()
    ) {
        self.values = values
        self.vapid = vapid
        self.allowsPrivateEndpoints = allowsPrivateEndpoints
        self.trustRoots = trustRoots
        self.timeouts = timeouts
        self.limits = limits
    }

    func text(of setting: String) -> String { String(decoding: values[setting] ?? [], as: UTF8.self) }

    /// The URL of a service, without a slash at its end.
    func url(of setting: String) throws(PushConfigurationError) -> String {
        let text = text(of: setting)
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let endpoint = WebURL(trimmed), endpoint.text.utf8.count(where: { $0 == UInt8(ascii: "/") }) == 2,
            !endpoint.text.utf8.contains(UInt8(ascii: "?"))
        else { throw PushConfigurationError(setting, "not an absolute URL without a path") }
        return trimmed
    }

    /// Sentences for the operator about what keeps notifications from being sent although every setting is valid.
    ///
    /// - Parameter system: the certificates that the system trusts.
    package func warnings(system: Certificates = .system) -> [String] {
        guard system.isEmpty, trustRoots.isEmpty else { return [] }
        return [
            "no push service can be verified, and nothing is sent to any: there are no certificates in "
                + Certificates.systemFiles.joined(separator: ", ")
                + " (Debian's package ca-certificates), and push_trust_file is not set"
        ]
    }
}

/// How long an attempt may take.
package struct PushTimeouts: Hashable, Sendable {
    /// To the end of the TLS handshake, the wait for a connection or stream included.
    package var connect: Duration
    /// From the request to the end of the answer.
    package var request: Duration
    /// To find the addresses of a name.
    package var lookup: Duration

    package init(
        connect: Duration = .seconds(5), request: Duration = .seconds(10), lookup: Duration = .seconds(3)
    ) {
        self.connect = connect
        self.request = request
        self.lookup = lookup
    }
}

/// How many deliveries may be under way at once.
package struct PushLimits: Hashable, Sendable {
    package var perProvider: Int
    /// Of webhooks or Web Push. Others wait for an origin; as many again if it is doubtful.
    package var perOrigin: Int
    /// How many origins are remembered, with their failures and connections.
    package var origins: Int

    package init(perProvider: Int = 256, perOrigin: Int = 32, origins: Int = 4096) {
        self.perProvider = max(1, perProvider)
        self.perOrigin = max(1, perOrigin)
        self.origins = max(8, origins)
    }
}
