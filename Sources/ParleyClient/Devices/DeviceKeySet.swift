import ParleyCrypto
import ParleyProtocol
import Sodium

/// The keys of this device: what others know it by, and what only it knows.
public struct DeviceKeySet: Sendable {
    /// An identity key that was replaced, kept for old messages.
    package struct RetiredIdentity: Sendable {
        package let keys: IdentityKeyPair
        package let retiredAt: Timestamp
    }

    /// How many retired keys are kept at most.
    package static let maximumRetired = 1000
    static let storageKeyLength = 32

    public let device: DeviceAddress
    /// What is sealed for the device from now on, and by it.
    package let identity: IdentityKeyPair
    /// Newest first.
    package let retired: [RetiredIdentity]
    /// From which everything is derived that the device encrypts on its own disk. 32 bytes.
    package let storageKey: SecretBytes
    /// What the device has of its user's account key (protocol §6, "Account keys").
    package let status: AccountStatus
    let signingSeed: SecretBytes
    private let signingKey: Ed25519.SigningKey

    /// New keys, from the system's randomness, that no account key has certified.
    package static func generate(for device: DeviceAddress) throws(SodiumError) -> DeviceKeySet {
        try DeviceKeySet(
            of: device, identity: .generate(), retired: [], signingSeed: .random(count: Ed25519.seedLength),
            storageKey: .random(count: storageKeyLength))
    }

    /// - Throws: `SodiumError.wrongLength` for a seed that is no Ed25519 seed.
    init(
        of device: DeviceAddress, identity: IdentityKeyPair, retired: [RetiredIdentity], signingSeed: SecretBytes,
        storageKey: SecretBytes, status: AccountStatus = .unlinked
    ) throws(SodiumError) {
        self.device = device
        self.identity = identity
        self.retired = retired
        self.signingSeed = signingSeed
        self.storageKey = storageKey
        self.status = status
        signingKey = try Ed25519.SigningKey(seed: signingSeed)
    }

    /// What others seal for this device with.
    public var identityKey: IdentityKey { identity.publicKey }

    /// The account key that has certified this device; `nil` for one that is to be linked.
    public var accountKey: AccountKey? { status.accountKey }

    /// The Ed25519 key by which the device signs what it publishes. 32 bytes.
    package var signingPublicKey: [UInt8] { signingKey.publicKey.bytes }

    /// The public keys, signed, and certified where an account key has certified them, as `keys/publish` takes them
    /// (protocol §5). The same each time.
    package func publication() throws(SodiumError) -> PublishKeys {
        let signed = DeviceKeys.signaturePreimage(device, identityKey: identityKey.bytes)
        return PublishKeys(
            identityKey: identityKey.bytes, signingKey: signingPublicKey,
            signature: try signingKey.sign(signed.span), proof: status.proof)
    }
}

extension DeviceKeySet: CustomStringConvertible, CustomReflectable {
    public var description: String { "DeviceKeySet(of \(device), \(retired.count) retired)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
