import CSodium

/// Randomness of the system, by libsodium.
package enum RandomBytes {
    /// `count` unpredictable bytes (`randombytes_buf`); none for a negative count.
    package static func make(count: Int) throws(SodiumError) -> [UInt8] {
        try unsafe Library.bytes(count: max(0, count), orThrow: .refused) { output in
            unsafe randombytes_buf(output, max(0, count))
            return 0
        }
    }
}

/// Whether two byte strings are equal, in a time that depends on their lengths alone (`sodium_memcmp`).
package func equalInConstantTime(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return Library.succeeds {
        unsafe left.withCBytes { left, count in
            unsafe right.withCBytes { right, _ in unsafe sodium_memcmp(left, right, count) }
        }
    }
}
