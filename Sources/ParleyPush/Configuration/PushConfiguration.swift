import HTTPClient

/// What the gateway sends to push services with.
package struct PushConfiguration: Sendable {
    /// `nil`: devices of Apple's service are not reached.
    package var apns: APNsCredentials?
    /// `nil`: devices of Google's service are not reached.
    package var fcm: FCMCredentials?
    package var vapid: VAPIDKey
    /// Whether webhooks and Web Push subscriptions may be `http` and at addresses that are not public: for development.
    package var allowsPrivateEndpoints: Bool
    /// Certificates in PEM that are trusted beside the system's.
    package var trustRoots: [[UInt8]]
    package var timeouts: PushTimeouts
    package var limits: PushLimits

    package init(
        apns: APNsCredentials? = nil, fcm: FCMCredentials? = nil, vapid: VAPIDKey, allowsPrivateEndpoints: Bool = false,
        trustRoots: [[UInt8]] = [], timeouts: PushTimeouts = PushTimeouts(), limits: PushLimits = PushLimits()
    ) {
        self.apns = apns
        self.fcm = fcm
        self.vapid = vapid
        self.allowsPrivateEndpoints = allowsPrivateEndpoints
        self.trustRoots = trustRoots
        self.timeouts = timeouts
        self.limits = limits
    }

    /// What keeps notifications from being sent although every setting is right, in sentences for the operator.
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

/// How much is under way at once.
package struct PushLimits: Hashable, Sendable {
    /// For a provider.
    package var perProvider: Int
    /// For an origin of webhooks or Web Push; any number may wait for it, but as many again if it has failed last.
    package var perOrigin: Int
    /// Of how many origins something is known: their failures and connections.
    package var origins: Int

    package init(perProvider: Int = 256, perOrigin: Int = 32, origins: Int = 4096) {
        self.perProvider = max(1, perProvider)
        self.perOrigin = max(1, perOrigin)
        self.origins = max(8, origins)
    }
}
