import ParleyProtocol
import Sodium

/// A message of the two forms that came before this protocol. It is bound to no header: whoever holds it can show it in
/// another conversation, under another sender's name, or twice.
///
/// For histories that a person imports on the device. `MessageCipher` never opens these forms, so nothing that the
/// gateway delivers can pass for one.
package struct LegacyMessage: Hashable, Sendable {
    package enum Form: String, Sendable, CaseIterable {
        /// X25519; HKDF-SHA256 without salt, info `FitLinkChat`; AES-256-GCM without associated data. One key for both
        /// directions and every conversation.
        case fitLink = "legacy-fitlink"
        /// NaCl's `crypto_box`, with nothing in it but the content.
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
        self.form = form
        self.nonce = nonce
        self.sealed = sealed
    }

    /// From one field that holds nonce ‖ ciphertext ‖ tag (or tag ‖ ciphertext, for `crypto_box`), which is what
    /// CryptoKit calls `combined`.
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
    ///   - own: the key pair of one side, whichever that was.
    ///   - peer: the other side's identity key as the history has it.
    ///   - salt: of HKDF, for `legacy-fitlink`: some histories were sealed with one.
    /// - Throws: `OpeningError.malformed` for a nonce, key or content of a length that it cannot have, `.weakKey`,
    ///   `.notAuthentic`.
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
