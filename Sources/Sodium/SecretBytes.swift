import CSodium

/// Secret bytes in guarded memory (`sodium_malloc`), which is locked where the system allows, surrounded by
/// inaccessible pages, and wiped with the last reference.
///
/// It never changes, so that threads may share it.
@safe package final class SecretBytes: @unchecked Sendable {
    private let start: UnsafeMutablePointer<UInt8>
    package let count: Int

    /// A copy of `bytes`; the caller wipes the original.
    ///
    /// - Throws: `SodiumError.outOfMemory`.
    package convenience init(copying bytes: Span<UInt8>) throws(SodiumError) {
        try unsafe self.init(count: bytes.count) { target in
            for index in 0..<bytes.count { unsafe target[index] = bytes[index] }
        }
    }

    /// `count` random bytes (`randombytes_buf`).
    package static func random(count: Int) throws(SodiumError) -> SecretBytes {
        try unsafe SecretBytes(count: count) { target in
            unsafe randombytes_buf(target, count)
        }
    }

    /// - Parameter fill: gets the address of `count` bytes, which it writes; they are not zero before.
    init(count: Int, fill: (UnsafeMutablePointer<UInt8>) throws(SodiumError) -> Void) throws(SodiumError) {
        try Library.start()
        guard count >= 0, let address = unsafe sodium_malloc(count) else { throw .outOfMemory }
        self.count = count
        unsafe start = address.bindMemory(to: UInt8.self, capacity: count)
        try unsafe fill(start)
    }

    deinit {
        unsafe sodium_free(start)
    }

    /// Lends the bytes. They must not be copied to memory that nobody wipes.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeStart: start, count: count))
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    package var description: String { "SecretBytes(\(count) bytes)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
