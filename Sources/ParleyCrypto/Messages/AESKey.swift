import OpenSSL
import Sodium

/// An expanded key of AES-256-GCM (NIST SP 800-38D), with the errors of the other suites.
package struct AESKey: Sendable {
    package static let length = 32
    package static let nonceLength = AESGCM.nonceLength
    package static let tagLength = AESGCM.tagLength

    private let key: AESGCM.Key

    /// - Throws: `SodiumError.wrongLength` unless `bytes` are 32.
    package init(_ bytes: Span<UInt8>) throws(SodiumError) {
        do throws(OpenSSLError) { key = try AESGCM.Key(bytes, .bits256) } catch { throw SodiumError(error) }
    }

    /// The ciphertext, then the 16-byte tag.
    ///
    /// - Throws: `SodiumError.wrongLength` unless `nonce` has 12 bytes.
    package func seal(
        _ plaintext: Span<UInt8>, nonce: Span<UInt8>, additionalData: Span<UInt8>
    ) throws(SodiumError) -> [UInt8] {
        do throws(OpenSSLError) {
            return try key.seal(plaintext, nonce: nonce, additionalData: additionalData)
        } catch {
            throw SodiumError(error)
        }
    }

    /// The plaintext that was sealed.
    ///
    /// - Throws: `SodiumError.notAuthentic`, also for fewer bytes than a tag has; `.wrongLength` unless `nonce` has 12.
    package func open(
        _ sealed: Span<UInt8>, nonce: Span<UInt8>, additionalData: Span<UInt8>
    ) throws(SodiumError) -> [UInt8] {
        do throws(OpenSSLError) {
            return try key.open(sealed, nonce: nonce, additionalData: additionalData)
        } catch {
            throw SodiumError(error)
        }
    }
}

extension SodiumError {
    fileprivate init(_ error: OpenSSLError) {
        self =
            switch error {
            case .wrongLength(let expected, let actual): .wrongLength(expected: expected, actual: actual)
            case .notAuthentic: .notAuthentic
            case .malformedKey, .tooLong, .refused: .refused
            }
    }
}
