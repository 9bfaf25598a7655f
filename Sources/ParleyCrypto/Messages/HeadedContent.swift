/// The plaintext of `nacl-box`, which has no associated data: 16-bit length of the header ‖ header ‖ content.
enum HeadedContent {
    static func overhead(_ header: [UInt8]) -> Int { 2 + header.count }

    static func join(_ header: [UInt8], _ content: [UInt8]) -> [UInt8] {
        var plaintext: [UInt8] = []
        plaintext.reserveCapacity(overhead(header) + content.count)
        plaintext.append(UInt8(truncatingIfNeeded: header.count >> 8))
        plaintext.append(UInt8(truncatingIfNeeded: header.count))
        plaintext += header
        plaintext += content
        return plaintext
    }

    /// - Throws: `OpeningError.headerMismatch` if `plaintext` does not begin with this header and its length.
    static func content(of plaintext: consuming [UInt8], header: [UInt8]) throws(OpeningError) -> [UInt8] {
        let overhead = overhead(header)
        guard plaintext.count >= overhead, plaintext[0] == UInt8(truncatingIfNeeded: header.count >> 8),
            plaintext[1] == UInt8(truncatingIfNeeded: header.count),
            areEqual(plaintext.span.extracting(2..<overhead), header.span)
        else { throw .headerMismatch }
        // In place.
        plaintext.removeFirst(overhead)
        return plaintext
    }

    /// Without an early exit, so that the compiler can vectorize it.
    private static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
