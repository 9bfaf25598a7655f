import ParleyProtocol

/// Where a client stores the token that it renews. Without one it renews nothing: the app's source of credentials does.
public struct TokenRenewal: Sendable {
    public var stored: @Sendable () async throws -> StoredCredentials
    /// Saves the renewed credentials durably if `former` are still the stored ones; if not, newer ones were saved
    /// meanwhile and stay. The next connection uses them, and not before this has returned.
    public var replace: @Sendable (_ former: DeviceCredentials, _ renewed: DeviceCredentials) async throws -> Void

    public init(
        stored: @escaping @Sendable () async throws -> StoredCredentials,
        replace: @escaping @Sendable (_ former: DeviceCredentials, _ renewed: DeviceCredentials) async throws -> Void
    ) {
        (self.stored, self.replace) = (stored, replace)
    }

    /// In the device's directory, which its processes share.
    public static func stored(in directory: DeviceDirectory) -> TokenRenewal {
        TokenRenewal {
            try directory.readStoredCredentials()
        } replace: { former, renewed in
            _ = try directory.replace(former, with: renewed)
        }
    }
}

public struct StoredCredentials: Hashable, Sendable {
    public let credentials: DeviceCredentials
    /// About when the token was issued; `nil` if unknown.
    public let storedAt: Timestamp?

    public init(_ credentials: DeviceCredentials, storedAt: Timestamp?) {
        (self.credentials, self.storedAt) = (credentials, storedAt)
    }

    /// The assumed lifetime of a token of unknown age, in milliseconds: the gateway's default (protocol §2).
    private static let usualLife: Int64 = 30 * 86_400_000
    /// The longest random delay, as a part of the lifetime.
    private static let delayedPart = 0.05

    /// When to renew the token: after two thirds of its lifetime and a random delay.
    ///
    /// - Parameter delay: 0 to 1, random, so that devices whose tokens were issued together do not renew them together.
    func renewalTime(delay: Double) -> Timestamp {
        let end = credentials.expiresAt.milliseconds
        let life = storedAt.map { max(end - $0.milliseconds, 0) } ?? StoredCredentials.usualLife
        return Timestamp(
            milliseconds: end - life / 3 + Int64(Double(life) * StoredCredentials.delayedPart * delay))
    }
}
