import CSodium

/// Argon2id (RFC 9106, version 1.3, one lane): keys from passwords, slowly.
package enum Argon2id {
    package static let saltLength = 16
    /// The shortest key that is derived, in bytes.
    package static let shortestKey = 16

    /// The work of one derivation. It is stored beside the protected data, and bounded, so that a stranger's file
    /// cannot ask for all memory.
    package struct Cost: Hashable, Sendable {
        /// The number of passes over the memory, 1 to 10.
        package let passes: Int
        /// In KiB, 8 to 1,048,576 (1 GiB).
        package let kibibytes: Int

        package static let passBounds = 1...10
        package static let memoryBounds = 8...1_048_576

        /// About a tenth of a second and 64 MiB: libsodium's `INTERACTIVE`.
        package static let interactive = Cost(uncheckedPasses: 2, kibibytes: 65_536)
        /// About a second and 256 MiB: libsodium's `MODERATE`.
        package static let moderate = Cost(uncheckedPasses: 3, kibibytes: 262_144)

        /// - Throws: `SodiumError.costOutOfBounds`.
        package init(passes: Int, kibibytes: Int) throws(SodiumError) {
            guard Self.passBounds.contains(passes), Self.memoryBounds.contains(kibibytes) else {
                throw .costOutOfBounds
            }
            self.init(uncheckedPasses: passes, kibibytes: kibibytes)
        }

        private init(uncheckedPasses passes: Int, kibibytes: Int) {
            (self.passes, self.kibibytes) = (passes, kibibytes)
        }
    }

    /// A key of `length` bytes (`crypto_pwhash`).
    ///
    /// - Throws: `SodiumError.wrongLength` unless the salt has 16 bytes and the key at least 16; `.outOfMemory`.
    package static func derive(
        password: Span<UInt8>, salt: Span<UInt8>, cost: Cost, length: Int
    ) throws(SodiumError) -> SecretBytes {
        try salt.requireCount(saltLength)
        guard length >= shortestKey else { throw .wrongLength(expected: shortestKey, actual: length) }
        return try unsafe SecretBytes(count: length) { target throws(SodiumError) in
            try Library.call(orThrow: .outOfMemory) {
                unsafe password.withCBytes { password, count in
                    unsafe salt.withCBytes { salt, _ in
                        unsafe crypto_pwhash(
                            target, UInt64(length),
                            UnsafeRawPointer(password).assumingMemoryBound(to: CChar.self), UInt64(count), salt,
                            UInt64(cost.passes), cost.kibibytes * 1024, crypto_pwhash_alg_argon2id13())
                    }
                }
            }
        }
    }
}
