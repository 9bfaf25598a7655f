import OpenSSL
import ParleyProtocol

/// The gateway's key for Web Push (RFC 8292).
package struct VAPIDKey: Sendable {
    let key: P256.PrivateKey

    /// - Parameter privateKey: 32 bytes of a key of P-256.
    package init(privateKey: [UInt8]) throws(PushConfigurationError) {
        guard let key = try? P256.PrivateKey(privateKey.span) else { throw VAPIDKey.unusable }
        self.key = key
    }

    /// 32 bytes of a new private key, to be kept: subscriptions are bound to it.
    package static func makePrivateKey() throws(PushConfigurationError) -> [UInt8] {
        guard let key = try? P256.PrivateKey.generate().bytes() else { throw unusable }
        return key
    }

    /// The `applicationServerKey` of a subscription, in base64url: 65 bytes, an uncompressed point.
    package var publicKeyText: String { Base64URL.text(of: key.publicKey.bytes.span) }

    private static let unusable = PushConfigurationError(
        "the key for Web Push", "not the 32 bytes of a private key of P-256")
}
