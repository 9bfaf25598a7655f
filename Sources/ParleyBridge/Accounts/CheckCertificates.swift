import ParleyProtocol
import ParleyRules
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
    /// The fault of unsafe keys, or of an invalid signature or certificate of them.
    func fault(of address: DeviceAddress) throws(SodiumError) -> KeyFault? {
        guard X25519.acceptsPublicKey(identityKey.span) else { return .identityKey }
        guard let signingKey else { return nil }
        guard Ed25519.acceptsPublicKey(signingKey.span) else { return .signingKey }
        if let signature {
            let signed = DeviceKeys.signaturePreimage(address, identityKey: identityKey)
            guard try Ed25519.PublicKey(bytes: signingKey).verifies(signature.span, of: signed.span) else {
                return .signature
            }
        }
        guard let proof else { return nil }
        guard Ed25519.acceptsPublicKey(proof.accountKey.span) else { return .accountKey }
        let isValid = try proof.certificate.isValid(
            by: proof.accountKey, of: address, identityKey: identityKey, signingKey: signingKey)
        return isValid ? nil : .certificate
    }
}
