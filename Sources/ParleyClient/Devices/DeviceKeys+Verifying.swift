import ParleyCrypto
import ParleyProtocol
import Sodium

extension DeviceKeys {
    /// The identity key, if it is usable and its signature, if any, is valid. Unsigned keys are accepted: the protocol
    /// leaves that to the device (§5).
    func verifiedIdentityKey(of user: UserID) throws(UnusableKeyError) -> IdentityKey {
        guard let key = IdentityKey(identityKey) else { throw .weakKey }
        guard let signature else { return key }
        let address = DeviceAddress(user: user, device: device)
        let signed = DeviceKeys.signaturePreimage(address, identityKey: identityKey)
        guard let signingKey, let verifier = try? Ed25519.PublicKey(bytes: signingKey),
            verifier.verifies(signature.span, of: signed.span)
        else { throw .badSignature }
        return key
    }
}
