import Crypto
import Sodium

extension Backend {
    /// The most bytes that HKDF-SHA256 gives (RFC 5869 §2.3).
    package static let longestDerivedKey = 255 * HMACSHA256.tagLength

    /// HKDF-SHA256 (RFC 5869).
    ///
    /// - Parameter salt: empty for none, which is the same as 32 bytes of zero.
    /// - Throws: `SodiumError.wrongLength` for more than 8160 bytes, or fewer than one.
    package func derivedKey(
        from secret: Span<UInt8>, salt: [UInt8], info: [UInt8], count: Int
    ) throws(SodiumError) -> WipedBytes {
        guard 1...Backend.longestDerivedKey ~= count else {
            throw .wrongLength(expected: Backend.longestDerivedKey, actual: count)
        }
        switch self {
        case .libsodium:
            var bytes = try sodiumDerivedKey(from: secret, salt: salt, info: info, count: count)
            defer { wipe(&bytes) }
            return WipedBytes(copying: bytes.span)
        case .swiftCrypto:
            let key = unsafe secret.withUnsafeBytes { secret in
                HKDF<Crypto.SHA256>.deriveKey(
                    inputKeyMaterial: unsafe SymmetricKey(data: secret), salt: salt, info: info, outputByteCount: count)
            }
            return unsafe key.withUnsafeBytes { unsafe WipedBytes(copying: Span(_unsafeBytes: $0)) }
        }
    }

    /// The result is the caller's to wipe.
    private func sodiumDerivedKey(
        from secret: Span<UInt8>, salt: [UInt8], info: [UInt8], count: Int
    ) throws(SodiumError) -> [UInt8] {
        let extracted = try HMACSHA256.authenticate(secret, key: salt.span)
        var output: [UInt8] = []
        // With room for the last block, so that no copy of the key is left behind where the array was before.
        output.reserveCapacity(count + HMACSHA256.tagLength)
        // Before the first block there is none; each later one is made from the one before it.
        var previous = 0..<0
        // Not more than 255 times: `count` is bounded.
        var counter: UInt8 = 1
        while output.count < count {
            var message = Array(output[previous]) + info + [counter]
            defer { wipe(&message) }
            let block = try extracted.withBytes { key throws(SodiumError) in
                try HMACSHA256.authenticate(message.span, key: key)
            }
            previous = output.count..<output.count + block.count
            block.withBytes { bytes in
                for index in bytes.indices { output.append(bytes[index]) }
            }
            counter &+= 1
        }
        output.removeLast(output.count - count)
        return output
    }
}
