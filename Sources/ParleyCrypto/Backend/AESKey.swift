import Crypto
import Sodium

/// A key of AES-256-GCM (NIST SP 800-38D), with what can be computed from it beforehand.
package enum AESKey: Sendable {
    case libsodium(AES256GCM.Key)
    case swiftCrypto(SymmetricKey)

    package static let length = 32
    package static let nonceLength = 12
    package static let tagLength = 16

    /// - Throws: `SodiumError.wrongLength` unless `key` has 32 bytes.
    package init(_ key: Span<UInt8>, backend: Backend) throws(SodiumError) {
        guard key.count == AESKey.length else { throw .wrongLength(expected: AESKey.length, actual: key.count) }
        switch backend {
        case .libsodium: self = .libsodium(try AES256GCM.Key(key))
        case .swiftCrypto: self = .swiftCrypto(unsafe key.withUnsafeBytes { unsafe SymmetricKey(data: $0) })
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
        case .swiftCrypto(let key):
            let nonce = try AESKey.nonce(nonce)
            let sealed = unsafe plaintext.withUnsafeBytes { plaintext in
                unsafe additionalData.withUnsafeBytes { additionalData in
                    try? unsafe AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: additionalData)
                }
            }
            guard let sealed else { throw .refused }
            return [UInt8](sealed.ciphertext) + sealed.tag
        }
    }

    /// What was sealed.
    ///
    /// - Throws: `SodiumError.notAuthentic`, also for fewer bytes than a tag has; `.wrongLength` unless `nonce` has 12.
    package func open(
        _ sealed: Span<UInt8>, nonce: Span<UInt8>, additionalData: Span<UInt8>
    ) throws(SodiumError) -> [UInt8] {
        guard sealed.count >= AESKey.tagLength else { throw .notAuthentic }
        switch self {
        case .libsodium(let key):
            return try key.open(sealed, nonce: nonce, additionalData: additionalData)
        case .swiftCrypto(let key):
            let nonce = try AESKey.nonce(nonce)
            let opened = unsafe sealed.withUnsafeBytes { sealed in
                unsafe additionalData.withUnsafeBytes { additionalData -> [UInt8]? in
                    // Rebased: slices of a buffer would be copied byte by byte.
                    let box = try? unsafe AES.GCM.SealedBox(
                        nonce: nonce,
                        ciphertext: UnsafeRawBufferPointer(rebasing: sealed.dropLast(AESKey.tagLength)),
                        tag: UnsafeRawBufferPointer(rebasing: sealed.suffix(AESKey.tagLength)))
                    return box.flatMap { box in
                        (try? unsafe AES.GCM.open(box, using: key, authenticating: additionalData)).map([UInt8].init)
                    }
                }
            }
            guard let opened else { throw .notAuthentic }
            return opened
        }
    }

    private static func nonce(_ bytes: Span<UInt8>) throws(SodiumError) -> AES.GCM.Nonce {
        guard bytes.count == nonceLength,
            let nonce = try? unsafe bytes.withUnsafeBytes({
                try unsafe AES.GCM.Nonce(data: $0)
            })
        else { throw .wrongLength(expected: nonceLength, actual: bytes.count) }
        return nonce
    }
}
