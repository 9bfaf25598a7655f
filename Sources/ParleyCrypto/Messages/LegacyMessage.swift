import ParleyProtocol
import Sodium

/// A message of the two forms before this protocol. It is bound to no header: it can be replayed, moved to another
/// conversation, and shown as the other one's of the two.
///
/// For histories that a person imports on the device. Of these forms the gateway can deliver `legacy-nacl-box` alone,
/// which ``MessageCipher/openLegacy(_:nonce:with:)`` opens.
package struct LegacyMessage: Hashable, Sendable {
    package enum Form: String, Sendable, CaseIterable {
        /// X25519; HKDF-SHA256 without salt, info `FitLinkChat`; AES-256-GCM without associated data. One key for both
        /// directions and every conversation.
        case fitLink = "legacy-fitlink"
        /// NaCl's `crypto_box` of the content alone.
        case naclBox = "legacy-nacl-box"

        /// The nonce's length, in bytes.
        package var nonceLength: Int {
            switch self {
            case .fitLink: AESKey.nonceLength
            case .naclBox: Box.nonceLength
            }
        }
    }

    package let form: Form
    package let nonce: [UInt8]
    /// Ciphertext and tag, in the order of the form's cipher.
    package let sealed: [UInt8]

    package init(form: Form, nonce: [UInt8], sealed: [UInt8]) {
        (self.form, self.nonce, self.sealed) = (form, nonce, sealed)
    }

    /// From nonce ‖ ciphertext ‖ tag (tag ‖ ciphertext for `crypto_box`) in one field, CryptoKit's `combined`.
    ///
    /// - Throws: `OpeningError.malformed` for fewer bytes than nonce and tag have.
    package init(form: Form, combined: [UInt8]) throws(OpeningError) {
        guard combined.count >= form.nonceLength + ContentKey.tagLength else { throw .malformed }
        self.init(
            form: form, nonce: Array(combined.prefix(form.nonceLength)),
            sealed: Array(combined.dropFirst(form.nonceLength)))
    }

    /// The content.
    ///
    /// - Parameters:
    ///   - own: the key pair of either side.
    ///   - peer: the other side's identity key.
    ///   - salt: of HKDF, which some `legacy-fitlink` histories used.
    /// - Throws: `OpeningError.malformed` for a nonce, key or content of a wrong length, `.weakKey`, `.notAuthentic`.
    package func open(
        with own: IdentityKeyPair, and peer: [UInt8], salt: [UInt8] = []
    ) throws(OpeningError) -> [UInt8] {
        let peer = try IdentityKey(published: peer)
        guard nonce.count == form.nonceLength, sealed.count >= ContentKey.tagLength else { throw .malformed }
        do throws(SodiumError) {
            switch form {
            case .fitLink:
                let secret = try own.sharedSecret(with: peer.bytes)
                let derived = try secret.withBytes { secret throws(SodiumError) in
                    try HKDFSHA256.derive(
                        from: secret, salt: salt, info: Array("FitLinkChat".utf8), count: AESKey.length)
                }
                let key = try derived.withBytes { key throws(SodiumError) in try AESKey(key) }
                return try key.open(sealed.span, nonce: nonce.span, additionalData: [UInt8]().span)
            case .naclBox:
                let key = try Box.SharedKey(between: own.secretKey, and: X25519.PublicKey(peer.bytes))
                return try key.open(sealed.span, nonce: nonce.span)
            }
        } catch {
            throw OpeningError(error)
        }
    }
}
