import ParleyProtocol
import Sodium

/// A new device's key pair, for one transfer of the account key.
package struct LinkKeyPair: Sendable {
    private let secret: X25519.SecretKey

    package static func generate() throws(SodiumError) -> LinkKeyPair { LinkKeyPair(secret: try .generate()) }

    private init(secret: X25519.SecretKey) { self.secret = secret }

    package var publicKey: [UInt8] { secret.publicKey.bytes }

    /// Opens an account that was sealed for it.
    ///
    /// - Throws: `SodiumError.notAuthentic` for anything else.
    package func open(_ sealed: [UInt8]) throws(SodiumError) -> AccountSecret {
        var seed = try Box.openAnonymously(sealed.span, with: secret)
        defer { wipe(&seed) }
        guard seed.count == Ed25519.seedLength else { throw .notAuthentic }
        return try AccountSecret(seed: SecretBytes(copying: seed.span))
    }
}

extension AccountSecret {
    /// The account's seed, sealed for the device that has offered `linkKey` (`crypto_box_seal`).
    ///
    /// - Throws: `SodiumError.lowOrderKey` for such a key.
    package func sealed(for linkKey: [UInt8]) throws(SodiumError) -> [UInt8] {
        let recipient = try X25519.PublicKey(linkKey)
        return try seed.withBytes { (seed) throws(SodiumError) in try Box.sealAnonymously(seed, to: recipient) }
    }
}
