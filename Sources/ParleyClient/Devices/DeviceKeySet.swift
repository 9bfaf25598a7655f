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
    let signingSeed: SecretBytes
    private let signingKey: Ed25519.SigningKey

    /// New keys, from the system's randomness.
    package static func generate(for device: DeviceAddress) throws(SodiumError) -> DeviceKeySet {
        try DeviceKeySet(
            of: device, identity: .generate(), retired: [], signingSeed: .random(count: Ed25519.seedLength),
            storageKey: .random(count: storageKeyLength))
    }

    /// - Throws: `SodiumError.wrongLength` for a seed that is no Ed25519 seed.
    init(
        of device: DeviceAddress, identity: IdentityKeyPair, retired: [RetiredIdentity], signingSeed: SecretBytes,
        storageKey: SecretBytes
    ) throws(SodiumError) {
        self.device = device
        self.identity = identity
        self.retired = retired
        self.signingSeed = signingSeed
        self.storageKey = storageKey
        signingKey = try Ed25519.SigningKey(seed: signingSeed)
    }

    /// The same with a new identity key; `nil` where no more can be retired.
    func rotated(now: Timestamp) throws(SodiumError) -> DeviceKeySet? {
        guard retired.count < DeviceKeySet.maximumRetired else { return nil }
        return try DeviceKeySet(
            of: device, identity: .generate(), retired: [RetiredIdentity(keys: identity, retiredAt: now)] + retired,
            signingSeed: signingSeed, storageKey: storageKey)
    }

    /// What others seal for this device with.
    public var identityKey: IdentityKey { identity.publicKey }

    /// The public keys, signed, as `keys/publish` takes them (protocol §5).
    package func publication() throws(SodiumError) -> PublishKeys {
        let signed = DeviceKeys.signaturePreimage(device, identityKey: identityKey.bytes)
        return PublishKeys(
            identityKey: identityKey.bytes, signingKey: signingKey.publicKey.bytes,
            signature: try signingKey.sign(signed.span))
    }
}

extension DeviceKeySet: CustomStringConvertible, CustomReflectable {
    public var description: String { "DeviceKeySet(of \(device), \(retired.count) retired)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
