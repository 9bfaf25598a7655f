import Crypto

/// Messages encrypted for Web Push (RFC 8291), with the content coding `aes128gcm` (RFC 8188).
enum WebPushCipher {
    /// Of a body, in bytes, that every service takes (RFC 8291 §4).
    static let bodyLimit = 4096
    /// The record size in the header; there is one record, which is shorter.
    static let recordSize = 4096
    /// Of the content with its padding: a body less the header (86), the padding's delimiter and the tag (16).
    static let contentLimit = bodyLimit - headerLength - 1 - tagLength
    /// The content is padded to a multiple of this, so that its length says little.
    static let paddingStep = 256

    private static let headerLength = 16 + 4 + 1 + 65
    private static let tagLength = 16

    /// What is drawn anew for each message.
    struct Entropy: Sendable {
        /// 16 bytes.
        let salt: [UInt8]
        let key: P256.KeyAgreement.PrivateKey

        init(salt: [UInt8], key: P256.KeyAgreement.PrivateKey) {
            self.salt = salt
            self.key = key
        }

        static func random() -> Entropy {
            var generator = SystemRandomNumberGenerator()
            return Entropy(
                salt: (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) },
                key: P256.KeyAgreement.PrivateKey())
        }
    }

    /// Whether bytes are an uncompressed point of P-256.
    static func isPublicKey(_ bytes: [UInt8]) -> Bool {
        bytes.count == 65 && (try? P256.KeyAgreement.PublicKey(x963Representation: bytes)) != nil
    }

    /// The body for a subscription.
    ///
    /// - Parameters:
    ///   - content: at most `contentLimit` bytes.
    ///   - padding: how many bytes of it follow the content.
    static func seal(
        _ content: [UInt8], padding: Int, p256dh: [UInt8], auth: [UInt8], _ entropy: Entropy
    ) throws(WebPushError) -> [UInt8] {
        guard let receiver = try? P256.KeyAgreement.PublicKey(x963Representation: p256dh),
            let shared = try? entropy.key.sharedSecretFromKeyAgreement(with: receiver)
        else { throw .notAPublicKey }
        let sender = Array(entropy.key.publicKey.x963Representation)
        // RFC 8291 §3.4
        let info = Array("WebPush: info".utf8) + [0] + p256dh + sender
        let keyMaterial = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: auth, sharedInfo: info, outputByteCount: 32)
        return try seal(content, padding: padding, keyMaterial: keyMaterial, salt: entropy.salt, keyID: sender)
    }

    /// One record, the last (RFC 8188 §2).
    static func seal(
        _ content: [UInt8], padding: Int, keyMaterial: SymmetricKey, salt: [UInt8], keyID: [UInt8]
    ) throws(WebPushError) -> [UInt8] {
        let key = derive(keyMaterial, salt, "Content-Encoding: aes128gcm", count: 16)
        let nonce = derive(keyMaterial, salt, "Content-Encoding: nonce", count: 12)
        let record = content + [0x02] + repeatElement(0, count: max(0, padding))
        guard record.count + tagLength <= recordSize, keyID.count <= 255,
            let nonce = try? unsafe nonce.withUnsafeBytes({ bytes in try unsafe AES.GCM.Nonce(data: Array(bytes)) }),
            let box = try? AES.GCM.seal(record, using: key, nonce: nonce)
        else { throw .tooLong }
        let size = UInt32(recordSize)
        let header = salt + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + [UInt8(keyID.count)] + keyID
        return header + box.ciphertext + box.tag
    }

    /// How much padding follows so many bytes of content.
    static func padding(for count: Int) -> Int {
        let padded = (count + paddingStep - 1) / paddingStep * paddingStep
        return max(0, min(padded, contentLimit) - count)
    }

    private static func derive(
        _ keyMaterial: SymmetricKey, _ salt: [UInt8], _ label: String, count: Int
    ) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: keyMaterial, salt: salt, info: Array(label.utf8) + [0], outputByteCount: count)
    }
}

/// Why a message is not sealed.
enum WebPushError: Error, Hashable, Sendable {
    /// The subscription's key is no point of the curve.
    case notAPublicKey
    case tooLong
}
