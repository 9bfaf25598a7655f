import ParleyProtocol
import Sodium

/// The public keys of a device, and the signature that ties them together.
struct KeyPair {
    /// Any 32 bytes are a public key of X25519 but for the few of low order, which random ones are not.
    let identityKey = (0..<32).map { _ in UInt8.random(in: 0...255) }
    private let seed = (0..<32).map { _ in UInt8.random(in: 0...255) }

    func signing() throws -> Ed25519.SigningKey {
        try Ed25519.SigningKey(seed: try SecretBytes(copying: seed.span))
    }

    /// What `keys/publish` takes.
    func fields(for device: DeviceClient) throws -> JSON {
        let signed = DeviceKeys.signaturePreimage(device.credentials.address, identityKey: identityKey)
        let key = try signing()
        return [
            "identity_key": .string(base64(identityKey)), "signing_key": .string(base64(key.publicKey.bytes)),
            "signature": .string(base64(try key.sign(signed.span))),
        ]
    }
}
