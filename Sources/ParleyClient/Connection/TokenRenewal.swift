import ParleyProtocol

/// Where a client keeps the token that it renews. Without one it renews nothing: the app's own source of credentials
/// does.
public struct TokenRenewal: Sendable {
    /// The credentials that are stored now.
    public var stored: @Sendable () async throws -> StoredCredentials
    /// Saves the second credentials for good, if the first are still those that are stored: somebody who has saved
    /// others meanwhile has newer ones. They are used at the next connection, and not before this has returned.
    public var replace: @Sendable (_ former: DeviceCredentials, _ renewed: DeviceCredentials) async throws -> Void

    public init(
        stored: @escaping @Sendable () async throws -> StoredCredentials,
        replace: @escaping @Sendable (_ former: DeviceCredentials, _ renewed: DeviceCredentials) async throws -> Void
    ) {
        (self.stored, self.replace) = (stored, replace)
    }

    /// In the device's directory, for all its processes.
    public static func stored(in directory: DeviceDirectory) -> TokenRenewal {
        TokenRenewal {
            try directory.readStoredCredentials()
        } replace: { former, renewed in
            _ = try directory.replace(former, with: renewed)
        }
    }
}

/// Credentials, and since when they are stored.
public struct StoredCredentials: Hashable, Sendable {
    public let credentials: DeviceCredentials
    /// About when the token was made; `nil` where it was not written down.
    public let storedAt: Timestamp?

    public init(_ credentials: DeviceCredentials, storedAt: Timestamp?) {
        (self.credentials, self.storedAt) = (credentials, storedAt)
    }

    /// The life of a token of which nobody knows when it began, in milliseconds: the gateway's default (protocol §2).
    private static let usualLife: Int64 = 30 * 86_400_000
    /// The longest delay, of a token's life.
    private static let delayedPart = 0.05

    /// When to renew the token: two thirds of its life after its beginning, and a part of the life later.
    ///
    /// - Parameter delay: 0 to 1, chosen at random, so that devices whose tokens were made together do not come
    ///   together.
    func renewalTime(delay: Double) -> Timestamp {
        let end = credentials.expiresAt.milliseconds
        let life = storedAt.map { max(end - $0.milliseconds, 0) } ?? StoredCredentials.usualLife
        return Timestamp(
            milliseconds: end - life / 3 + Int64(Double(life) * StoredCredentials.delayedPart * delay))
    }
}
