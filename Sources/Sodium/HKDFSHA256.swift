/// HKDF-SHA256 (RFC 5869), of which libsodium 1.0.18 has no function: it is made of HMAC.
package enum HKDFSHA256 {
    /// The most bytes that it gives (RFC 5869 §2.3).
    package static let longestKey = 255 * HMACSHA256.tagLength

    /// A key derived from `secret`.
    ///
    /// - Parameter salt: empty for none, which is the same as 32 bytes of zero.
    /// - Throws: `SodiumError.wrongLength` for more than 8160 bytes, or fewer than one.
    package static func derive(
        from secret: Span<UInt8>, salt: [UInt8], info: [UInt8], count: Int
    ) throws(SodiumError) -> WipedBytes {
        guard 1...longestKey ~= count else { throw .wrongLength(expected: longestKey, actual: count) }
        let extracted = try HMACSHA256.authenticate(secret, key: salt.span)
        var output: [UInt8] = []
        // With room for the last block, so that no copy of the key is left behind where the array was before.
        output.reserveCapacity(count + HMACSHA256.tagLength)
        defer { wipe(&output) }
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
        return WipedBytes(copying: output.span.extracting(first: count))
    }
}
