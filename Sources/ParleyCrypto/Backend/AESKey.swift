import OpenSSL
import Sodium

/// A key of AES-256-GCM (NIST SP 800-38D), with what can be computed from it beforehand.
package enum AESKey: Sendable {
    case libsodium(AES256GCM.Key)
    case openSSL(AESGCM.Key)

    package static let length = 32
    package static let nonceLength = 12
    package static let tagLength = 16

    /// - Throws: `SodiumError.wrongLength` unless `key` has 32 bytes.
    package init(_ key: Span<UInt8>, backend: Backend) throws(SodiumError) {
        guard key.count == AESKey.length else { throw .wrongLength(expected: AESKey.length, actual: key.count) }
        switch backend {
        case .libsodium: self = .libsodium(try AES256GCM.Key(key))
        case .openSSL:
            do throws(OpenSSLError) {
                self = .openSSL(try AESGCM.Key(key, .bits256))
            } catch {
                throw SodiumError(error)
            }
        }
    }

    /// The ciphertext with the 16-byte tag behind it.
    ///
    /// - Throws: `SodiumError.wrongLength` unless `nonce` has 12 bytes.
    package func seal(
        _ plaintext: Span<UInt8>, nonce: Span<UInt8>, additionalData: Span<UInt8>
    ) throws(SodiumError) -> [UInt8] {
        switch self {
        case .libsodium(let key):
            return try key.seal(plaintext, nonce: nonce, additionalData: additionalData)
        case .openSSL(let key):
            do throws(OpenSSLError) {
                return try key.seal(plaintext, nonce: nonce, additionalData: additionalData)
            } catch {
                throw SodiumError(error)
            }
        }
    }

    /// What was sealed.
    ///
    /// - Throws: `SodiumError.notAuthentic`, also for fewer bytes than a tag has; `.wrongLength` unless `nonce` has 12.
    package func open(
        _ sealed: Span<UInt8>, nonce: Span<UInt8>, additionalData: Span<UInt8>
    ) throws(SodiumError) -> [UInt8] {
        switch self {
        case .libsodium(let key):
            return try key.open(sealed, nonce: nonce, additionalData: additionalData)
        case .openSSL(let key):
            do throws(OpenSSLError) {
                return try key.open(sealed, nonce: nonce, additionalData: additionalData)
            } catch {
                throw SodiumError(error)
            }
        }
    }
}

extension SodiumError {
    /// So that a caller sees one behaviour, whichever library it was.
    fileprivate init(_ error: OpenSSLError) {
        self =
            switch error {
            case .wrongLength(let expected, let actual): .wrongLength(expected: expected, actual: actual)
            case .notAuthentic: .notAuthentic
            case .malformedKey, .tooLong, .refused: .refused
            }
    }
}
