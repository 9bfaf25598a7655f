import ParleyProtocol
import Sodium

extension DeviceCertificate {
    /// Whether it is this account key's over a device with these keys (protocol §6, "Account keys").
    func isValid(
        by accountKey: [UInt8], of device: DeviceAddress, identityKey: [UInt8], signingKey: [UInt8]
    ) throws(SodiumError) -> Bool {
        let preimage = DeviceCertificate.preimage(
            device, identityKey: identityKey, signingKey: signingKey, issuedAt: issuedAt)
        return try Ed25519.PublicKey(bytes: accountKey).verifies(signature.span, of: preimage.span)
    }
}

extension PublishKeys {
    /// Checks that the keys protect something, and that what signs them does.
    ///
    /// - Throws: `bad_request`
    func check(of address: DeviceAddress) throws {
        guard X25519.acceptsPublicKey(identityKey.span) else { throw Rejection.keyRefused("identity_key") }
        guard let signingKey else { return }
        guard Ed25519.acceptsPublicKey(signingKey.span) else { throw Rejection.keyRefused("signing_key") }
        if let signature {
            let signed = DeviceKeys.signaturePreimage(address, identityKey: identityKey)
            guard try Ed25519.PublicKey(bytes: signingKey).verifies(signature.span, of: signed.span) else {
                throw Rejection(.badRequest, "signature: not the signing key's over this identity key")
            }
        }
        guard let proof else { return }
        guard Ed25519.acceptsPublicKey(proof.accountKey.span) else { throw Rejection.keyRefused("account_key") }
        let isValid = try proof.certificate.isValid(
            by: proof.accountKey, of: address, identityKey: identityKey, signingKey: signingKey)
        guard isValid else {
            throw Rejection(.badRequest, "certificate: not the account key's over these keys of this device")
        }
    }
}

extension Rejection {
    /// A key that is no point of its curve in canonical form, or of low order.
    static func keyRefused(_ field: String) -> Rejection {
        Rejection(.badRequest, "\(field): of low order, or no point of its curve")
    }
}
