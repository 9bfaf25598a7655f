import OpenSSL
import Sodium

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
        let key: P256.PrivateKey

        static func random() throws(WebPushError) -> Entropy {
            guard let salt = try? RandomBytes.make(count: 16), let key = try? P256.PrivateKey.generate() else {
                throw .unavailable
            }
            return Entropy(salt: salt, key: key)
        }
    }

    /// Whether bytes are an uncompressed point of P-256.
    static func isPublicKey(_ bytes: [UInt8]) -> Bool { (try? P256.PublicKey(bytes)) != nil }

    /// The body for a subscription.
    ///
    /// - Parameters:
    ///   - content: at most `contentLimit` bytes.
    ///   - padding: how many bytes of it follow the content.
    static func seal(
        _ content: [UInt8], padding: Int, p256dh: [UInt8], auth: [UInt8], _ entropy: Entropy
    ) throws(WebPushError) -> [UInt8] {
        guard let receiver = try? P256.PublicKey(p256dh) else { throw .notAPublicKey }
        let sender = entropy.key.publicKey.bytes
        // RFC 8291 §3.4
        let info = Array("WebPush: info".utf8) + [0] + p256dh + sender
        guard var shared = try? entropy.key.sharedSecret(with: receiver) else { throw .unavailable }
        defer { wipe(&shared) }
        guard let keyMaterial = try? HKDFSHA256.derive(from: shared.span, salt: auth, info: info, count: 32) else {
            throw .unavailable
        }
        return try seal(content, padding: padding, keyMaterial: keyMaterial, salt: entropy.salt, keyID: sender)
    }

    /// One record, the last (RFC 8188 §2).
    static func seal(
        _ content: [UInt8], padding: Int, keyMaterial: WipedBytes, salt: [UInt8], keyID: [UInt8]
    ) throws(WebPushError) -> [UInt8] {
        let record = content + [0x02] + repeatElement(0, count: max(0, padding))
        guard record.count + tagLength <= recordSize, keyID.count <= 255 else { throw .tooLong }
        guard let sealed = try? seal(record: record, keyMaterial, salt) else { throw .unavailable }
        let size = UInt32(recordSize)
        let header = salt + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + [UInt8(keyID.count)] + keyID
        return header + sealed
    }

    /// AES-128-GCM with key and nonce of the record (RFC 8188 §2.2 and §2.3).
    private static func seal(record: [UInt8], _ keyMaterial: WipedBytes, _ salt: [UInt8]) throws -> [UInt8] {
        func derive(_ label: String, count: Int) throws(SodiumError) -> WipedBytes {
            try keyMaterial.withBytes { bytes throws(SodiumError) in
                try HKDFSHA256.derive(from: bytes, salt: salt, info: Array(label.utf8) + [0], count: count)
            }
        }
        let key = try derive("Content-Encoding: aes128gcm", count: 16).withBytes { key throws(OpenSSLError) in
            try AESGCM.Key(key, .bits128)
        }
        let nonce = try derive("Content-Encoding: nonce", count: AESGCM.nonceLength)
        let nothing: [UInt8] = []
        return try nonce.withBytes { nonce throws(OpenSSLError) in
            try key.seal(record.span, nonce: nonce, additionalData: nothing.span)
        }
    }

    /// How much padding follows so many bytes of content.
    static func padding(for count: Int) -> Int {
        let padded = (count + paddingStep - 1) / paddingStep * paddingStep
        return max(0, min(padded, contentLimit) - count)
    }
}

/// Why a message is not sealed.
enum WebPushError: Error, Hashable, Sendable {
    /// The subscription's key is no point of the curve.
    case notAPublicKey
    case tooLong
    /// There is no randomness, or no memory.
    case unavailable
}
