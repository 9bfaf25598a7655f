import ParleyProtocol

/// Where a client keeps the token that it renews. Without one it renews nothing: the app's own source of credentials does.
public struct TokenRenewal: Sendable {
    /// The credentials that are kept now.
    public var kept: @Sendable () async throws -> KeptCredentials
    /// Keeps the second credentials for good, if the first are still those that are kept: somebody who has kept others
    /// meanwhile has newer ones. They are used at the next connection, and not before this has returned.
    public var replace: @Sendable (_ former: DeviceCredentials, _ renewed: DeviceCredentials) async throws -> Void

    public init(
        kept: @escaping @Sendable () async throws -> KeptCredentials,
        replace: @escaping @Sendable (_ former: DeviceCredentials, _ renewed: DeviceCredentials) async throws -> Void
    ) {
        self.kept = kept
        self.replace = replace
    }

    /// In the device's directory, for all its processes.
    public static func kept(in directory: DeviceDirectory) -> TokenRenewal {
        TokenRenewal {
            try directory.readKeptCredentials()
        } replace: { former, renewed in
            _ = try directory.replace(former, with: renewed)
        }
    }
}

/// Credentials, and since when they are kept.
public struct KeptCredentials: Hashable, Sendable {
    public let credentials: DeviceCredentials
    /// About when the token was made; `nil` where nobody noted it.
    public let keptAt: Timestamp?

    public init(_ credentials: DeviceCredentials, keptAt: Timestamp?) {
        self.credentials = credentials
        self.keptAt = keptAt
    }

    /// The life of a token of which nobody knows when it began, in milliseconds: the gateway's default (protocol §2).
    private static let usualLife: Int64 = 30 * 86_400_000
    /// The longest delay, of a token's life.
    private static let delayedPart = 0.05

    /// When to renew the token: two thirds of its life after its beginning, and a part of the life later.
    ///
    /// - Parameter delay: 0 to 1, chosen at random, so that devices whose tokens were made together do not come together.
    func renewalTime(delay: Double) -> Timestamp {
        let end = credentials.expiresAt.milliseconds
        let life = keptAt.map { max(end - $0.milliseconds, 0) } ?? KeptCredentials.usualLife
        return Timestamp(
            milliseconds: end - life / 3 + Int64(Double(life) * KeptCredentials.delayedPart * delay))
    }
}
