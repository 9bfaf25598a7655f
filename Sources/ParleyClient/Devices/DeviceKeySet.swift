import ParleyCrypto
import ParleyProtocol
import Sodium

/// The public and secret keys of this device.
public struct DeviceKeySet: Sendable, CustomStringConvertible, CustomReflectable {
    /// An identity key that was replaced, kept for old messages.
    package struct RetiredIdentity: Sendable {
        package let keys: IdentityKeyPair
        package let retiredAt: Timestamp
    }

    /// How many retired keys are kept at most.
    package static let maximumRetired = 1000
    static let storageKeyLength = 32

    public let device: DeviceAddress
    /// The current X25519 keys, by which messages are sealed for the device and by it.
    package let identity: IdentityKeyPair
    /// Newest first.
    package let retired: [RetiredIdentity]
    /// The key from which the keys of the device's files are derived. 32 bytes.
    package let storageKey: SecretBytes
    /// The device's share in its user's account key (protocol §6, "Account keys").
    package let status: AccountStatus
    let signingSeed: SecretBytes
    private let signingKey: Ed25519.SigningKey

    /// New random keys, not certified by an account key.
    package static func generate(for device: DeviceAddress) throws(SodiumError) -> DeviceKeySet {
        try DeviceKeySet(
            of: device, identity: .generate(), retired: [], signingSeed: .random(count: Ed25519.seedLength),
            storageKey: .random(count: storageKeyLength))
    }

    /// - Throws: `SodiumError.wrongLength` for a seed of another length.
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

    /// The key with which others seal for this device.
    public var identityKey: IdentityKey { identity.publicKey }

    /// The account key that has certified this device; `nil` if it has to be linked.
    public var accountKey: AccountKey? { status.accountKey }

    /// The Ed25519 key that signs the device's published keys. 32 bytes.
    package var signingPublicKey: [UInt8] { signingKey.publicKey.bytes }

    /// The signed public keys, with their certificate if there is one, for `keys/publish` (protocol §5). The same on
    /// each call.
    package func publication() throws(SodiumError) -> PublishKeys {
        let signed = DeviceKeys.signaturePreimage(device, identityKey: identityKey.bytes)
        return PublishKeys(
            identityKey: identityKey.bytes, signingKey: signingPublicKey,
            signature: try signingKey.sign(signed.span), proof: status.proof)
    }

    public var description: String { "DeviceKeySet(of \(device), \(retired.count) retired)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
