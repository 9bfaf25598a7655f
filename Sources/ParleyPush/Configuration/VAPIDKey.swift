import OpenSSL
import ParleyProtocol

/// The gateway's key for Web Push, and whom a push service may write to about it (RFC 8292 §2.1).
package struct VAPIDKey: Sendable {
    let key: P256.PrivateKey
    let subject: String

    /// - Parameters:
    ///   - privateKey: 32 bytes of a key of P-256.
    ///   - subject: a `mailto:` or `https:` URL.
    package init(privateKey: [UInt8], subject: String) throws(PushConfigurationError) {
        guard let key = try? P256.PrivateKey(privateKey.span) else { throw .vapidKey }
        guard subject.utf8.count <= 512, subject.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            subject.hasPrefix("mailto:") && subject.utf8.count > 7 || PushEndpoint(subject)?.scheme == .https
        else { throw .vapidSubject }
        self.key = key
        self.subject = subject
    }

    /// 32 bytes of a new private key, to be kept: subscriptions are bound to it.
    ///
    /// - Throws: `PushConfigurationError.vapidKey` where there is no randomness.
    package static func makePrivateKey() throws(PushConfigurationError) -> [UInt8] {
        guard let key = try? P256.PrivateKey.generate().bytes() else { throw .vapidKey }
        return key
    }

    /// What a browser subscribes with, its `applicationServerKey`: 65 bytes, an uncompressed point.
    package var publicKey: [UInt8] { key.publicKey.bytes }

    /// The same in base64url.
    package var publicKeyText: String { Base64URL.text(of: publicKey.span) }
}
