import Synchronization

/// AES-GCM (NIST SP 800-38D) with nonces of 12 bytes and tags of 16, on every processor.
package enum AESGCM {
    package static let nonceLength = 12
    package static let tagLength = 16

    /// The length of a key.
    package enum KeySize: Sendable {
        case bits128
        case bits256

        package var bytes: Int {
            switch self {
            case .bits128: 16
            case .bits256: 32
            }
        }

        fileprivate var cipher: Algorithm {
            switch self {
            case .bits128: .aes128GCM
            case .bits256: .aes256GCM
            }
        }
    }

    /// A key expanded for use. Messages by the same key wait for each other.
    package final class Key: Sendable {
        private let context: Mutex<CipherContext>

        /// - Throws: `OpenSSLError.wrongLength` unless the key has that size.
        package init(_ key: Span<UInt8>, _ size: KeySize) throws(OpenSSLError) {
            try key.requireCount(size.bytes)
            context = Mutex(try .make(size.cipher, key: key))
        }

        /// The ciphertext and its 16-byte tag.
        ///
        /// - Throws: `OpenSSLError.wrongLength` unless the nonce has 12 bytes. Never use it twice for this key.
        package func seal(
            _ message: Span<UInt8>, nonce: Span<UInt8>, additionalData: Span<UInt8>
        ) throws(OpenSSLError) -> [UInt8] {
            try nonce.requireCount(nonceLength)
            return try context.withLock { (context) throws(OpenSSLError) in
                try context.seal(message, nonce: nonce, additionalData: additionalData)
            }
        }

        /// The opened message.
        ///
        /// - Throws: `OpenSSLError.wrongLength` unless the nonce has 12 bytes, `.notAuthentic`.
        package func open(
            _ sealed: Span<UInt8>, nonce: Span<UInt8>, additionalData: Span<UInt8>
        ) throws(OpenSSLError) -> [UInt8] {
            try nonce.requireCount(nonceLength)
            guard sealed.count >= tagLength else { throw .notAuthentic }
            return try context.withLock { (context) throws(OpenSSLError) in
                try context.open(sealed, nonce: nonce, additionalData: additionalData)
            }
        }
    }
}
