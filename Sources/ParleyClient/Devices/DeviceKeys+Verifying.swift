import ParleyCrypto
import ParleyProtocol
import Sodium

extension DeviceKeys {
    /// The identity key, if it can be used and whatever signature is beside it is good. Keys without a signature
    /// are taken: the protocol leaves it to the device (§5).
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
