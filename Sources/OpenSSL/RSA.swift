/// RSA with SHA-256 and the padding of PKCS #1 v1.5 (RFC 8017 §8.2).
package enum RSA {
    /// In bits. Fewer do not protect, and more take longer than a service may make others wait.
    package static let sizes = 2048...8192

    package struct PrivateKey: Sendable {
        private let handle: KeyHandle

        /// - Parameter pem: in PKCS #8 or PKCS #1, not encrypted.
        /// - Throws: `OpenSSLError.malformedKey`.
        package init(pem: Span<UInt8>) throws(OpenSSLError) {
            handle = try KeyHandle.reading(pem: pem)
            guard handle.isA("RSA"), RSA.sizes ~= handle.bits else { throw .malformedKey }
        }

        /// The signature of `message`, as long as the modulus.
        package func sign(_ message: Span<UInt8>) throws(OpenSSLError) -> [UInt8] { try handle.sign(message) }

        /// Whether `signature` is that of `message`.
        package func verifies(_ signature: Span<UInt8>, of message: Span<UInt8>) -> Bool {
            handle.verifies(signature, of: message)
        }
    }
}

extension RSA.PrivateKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "RSA.PrivateKey" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
