import COpenSSL

/// RSA with SHA-256 and the padding of PKCS #1 v1.5 (RFC 8017 §8.2).
package enum RSA {
    /// In bits. Fewer do not protect, and more take longer than a service may make others wait.
    package static let sizes = 2048...8192

    /// The public half, as another publishes it (RFC 7518 §6.3.1).
    package struct PublicKey: Sendable {
        /// In bits. More would let another decide how long a verification takes.
        package static let sizes = 2048...4096

        private let handle: KeyHandle

        /// - Parameters:
        ///   - modulus: big-endian, without zeros before it, odd, of 2048 to 4096 bits.
        ///   - exponent: big-endian, without zeros before it, odd, from 65,537 (NIST SP 800-56B §6.2) to 32 bits.
        /// - Throws: `OpenSSLError.malformedKey` for any other.
        package init(modulus: [UInt8], exponent: [UInt8]) throws(OpenSSLError) {
            guard PublicKey.isOdd(modulus), modulus.count <= PublicKey.sizes.upperBound / 8,
                PublicKey.isOdd(exponent), (3...4).contains(exponent.count)
            else { throw .malformedKey }
            handle = try unsafe KeyHandle(orThrow: .malformedKey) {
                unsafe modulus.span.withCBytes { modulus, length in
                    unsafe exponent.span.withCBytes { exponent, exponentLength in
                        unsafe parley_rsa_key(modulus, CInt(length), exponent, CInt(exponentLength))
                    }
                }
            }
            guard PublicKey.sizes ~= handle.bits else { throw .malformedKey }
        }

        /// Whether `signature` is that of `message` by the private half.
        package func verifies(_ signature: Span<UInt8>, of message: Span<UInt8>) -> Bool {
            handle.verifies(signature, of: message)
        }

        /// Whether it is an odd number with nothing before it.
        private static func isOdd(_ number: [UInt8]) -> Bool {
            guard let first = number.first, let last = number.last else { return false }
            return first != 0 && last & 1 == 1
        }
    }

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
