import ParleyProtocol
import Sodium

/// The key that seals a message's content and binds it to its header (protocol §6, "Exact bytes").
enum ContentKey: Sendable {
    /// `x25519-hkdf-sha256-aes256gcm`, with a pairwise key or a key of the message.
    case aes(AESKey)
    /// `nacl-box` for one device.
    case box(Box.SharedKey)
    /// `nacl-box` for several.
    case secretBox(WipedBytes)
    /// `group-box`.
    case xChaCha(WipedBytes)

    static let length = 32
    /// Every suite's tag, in bytes.
    static let tagLength = 16

    /// A key of one message.
    ///
    /// - Throws: `SodiumError.wrongLength` unless it has 32 bytes.
    init(_ bytes: WipedBytes, _ suite: Suite.Bound) throws(SodiumError) {
        switch suite {
        case .x25519AESGCM:
            self = .aes(try bytes.withBytes { bytes throws(SodiumError) in try AESKey(bytes) })
        case .naclBox: self = .secretBox(bytes)
        case .groupBox: self = .xChaCha(bytes)
        }
    }

    /// The `encrypted_content`.
    func seal(_ content: [UInt8], header: [UInt8], nonce: [UInt8]) throws(SodiumError) -> [UInt8] {
        switch self {
        case .aes(let key):
            return try key.seal(content.span, nonce: nonce.span, additionalData: header.span)
        case .box(let key):
            return try key.seal(HeadedContent.join(header, content).span, nonce: nonce.span)
        case .secretBox(let key):
            let plaintext = HeadedContent.join(header, content)
            return try key.withBytes { key throws(SodiumError) in
                try SecretBox.seal(plaintext.span, nonce: nonce.span, key: key)
            }
        case .xChaCha(let key):
            return try key.withBytes { key throws(SodiumError) in
                try XChaCha20Poly1305.seal(
                    content.span, nonce: nonce.span, additionalData: header.span, key: key)
            }
        }
    }

    /// The content.
    ///
    /// - Throws: `OpeningError.notAuthentic`, or `.headerMismatch` if `nacl-box` holds another header.
    func open(_ sealed: [UInt8], header: [UInt8], nonce: [UInt8]) throws(OpeningError) -> [UInt8] {
        let opened: [UInt8]
        do {
            switch self {
            case .aes(let key):
                return try key.open(sealed.span, nonce: nonce.span, additionalData: header.span)
            case .xChaCha(let key):
                return try key.withBytes { key throws(SodiumError) in
                    try XChaCha20Poly1305.open(
                        sealed.span, nonce: nonce.span, additionalData: header.span, key: key)
                }
            case .box(let key):
                opened = try key.open(sealed.span, nonce: nonce.span)
            case .secretBox(let key):
                opened = try key.withBytes { key throws(SodiumError) in
                    try SecretBox.open(sealed.span, nonce: nonce.span, key: key)
                }
            }
        } catch {
            throw OpeningError(error)
        }
        return try HeadedContent.content(of: opened, header: header)
    }
}
