import ParleyProtocol
import Sodium

/// A user's Ed25519 account key, which certifies the user's devices (protocol §6, "Account keys"). Contacts pin it.
public struct AccountKey: Hashable, Sendable {
    public static let length = Ed25519.publicKeyLength

    public let bytes: [UInt8]
    private let verifier: Ed25519.PublicKey

    /// - Returns: `nil` unless there are 32 bytes that are a point of the curve in canonical form and not of low order.
    public init?(_ bytes: [UInt8]) {
        guard Ed25519.acceptsPublicKey(bytes.span), let verifier = try? Ed25519.PublicKey(bytes: bytes) else {
            return nil
        }
        self.bytes = bytes
        self.verifier = verifier
    }

    /// A key that was checked before it was stored in a sealed file.
    ///
    /// - Returns: `nil` unless there are 32 bytes.
    package init?(kept bytes: [UInt8]) {
        guard let verifier = try? Ed25519.PublicKey(bytes: bytes) else { return nil }
        self.bytes = bytes
        self.verifier = verifier
    }

    /// Whether the account has certified a device with these keys. Keys without a signing key are never certified.
    public func hasCertified(_ keys: DeviceKeys, of user: UserID) -> Bool {
        guard let certificate = keys.certificate, let signingKey = keys.signingKey else { return false }
        return hasCertified(
            DeviceAddress(user: user, device: keys.device), identityKey: keys.identityKey, signingKey: signingKey,
            certificate)
    }

    /// Whether `certificate` is the account's over exactly these values.
    public func hasCertified(
        _ address: DeviceAddress, identityKey: [UInt8], signingKey: [UInt8], _ certificate: DeviceCertificate
    ) -> Bool {
        let preimage = DeviceCertificate.preimage(
            address, identityKey: identityKey, signingKey: signingKey, issuedAt: certificate.issuedAt)
        return verifier.verifies(certificate.signature.span, of: preimage.span)
    }
}

/// The secret of an account key, which only the user's devices have.
package struct AccountSecret: Sendable {
    package let publicKey: AccountKey
    /// 32 bytes, for a key store.
    package let seed: SecretBytes
    private let signer: Ed25519.SigningKey

    package static func generate() throws(SodiumError) -> AccountSecret {
        try AccountSecret(seed: .random(count: Ed25519.seedLength))
    }

    /// - Throws: `SodiumError.wrongLength` unless there are 32 bytes.
    package init(seed: SecretBytes) throws(SodiumError) {
        self.seed = seed
        signer = try Ed25519.SigningKey(seed: seed)
        guard let publicKey = AccountKey(signer.publicKey.bytes) else { throw .refused }
        self.publicKey = publicKey
    }

    /// Certifies a device of the user with these keys.
    package func certify(
        _ address: DeviceAddress, identityKey: [UInt8], signingKey: [UInt8], at issuedAt: Timestamp
    ) throws(SodiumError) -> DeviceCertificate {
        let preimage = DeviceCertificate.preimage(
            address, identityKey: identityKey, signingKey: signingKey, issuedAt: issuedAt)
        return DeviceCertificate(signature: try signer.sign(preimage.span), issuedAt: issuedAt)
    }
}
