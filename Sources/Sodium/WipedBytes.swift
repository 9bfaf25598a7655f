import CSodium

/// Secret bytes in ordinary memory, wiped with the last reference.
///
/// For keys that live as long as one message, and for values of which each peer has one: guarded memory (`SecretBytes`)
/// takes several system calls and pages each. It never changes, so that threads may share it.
@safe package final class WipedBytes: @unchecked Sendable {
    private let start: UnsafeMutablePointer<UInt8>
    package let count: Int

    /// A copy of `bytes`; the caller wipes the original.
    package convenience init(copying bytes: Span<UInt8>) {
        self.init(count: bytes.count)
        for index in 0..<bytes.count { unsafe start[index] = bytes[index] }
    }

    /// `count` random bytes (`randombytes_buf`).
    ///
    /// - Throws: `SodiumError.unavailable`.
    package static func random(count: Int) throws(SodiumError) -> WipedBytes {
        let bytes = try unsafe WipedBytes(count: count) { target throws(SodiumError) in
            try Library.start()
            unsafe randombytes_buf(target, count)
        }
        return bytes
    }

    /// - Parameter fill: gets the address of `count` bytes, which it writes; they are not zero before.
    convenience init(
        count: Int, alignment: Int = 16, fill: (UnsafeMutablePointer<UInt8>) throws(SodiumError) -> Void
    ) throws(SodiumError) {
        self.init(count: count, alignment: alignment)
        try unsafe fill(start)
    }

    /// - Parameter alignment: a power of two, at least 16.
    private init(count: Int, alignment: Int = 16) {
        self.count = count
        let address = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: alignment)
        unsafe start = address.bindMemory(to: UInt8.self, capacity: count)
    }

    deinit {
        unsafe sodium_memzero(start, count)
        unsafe start.deallocate()
    }

    /// Lends the bytes. They must not be copied to memory that nobody wipes.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeStart: start, count: count))
    }

    /// Lends the bytes as the state of a libsodium operation, which changes them: for an owner that is alone with them.
    func withState<State, Result>(as _: State.Type, _ body: (UnsafeMutablePointer<State>) -> Result) -> Result {
        unsafe body(UnsafeMutableRawPointer(start).assumingMemoryBound(to: State.self))
    }

    /// The same for a state whose type Swift does not import.
    func withOpaqueState<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        unsafe body(OpaquePointer(start))
    }
}

extension WipedBytes: CustomStringConvertible, CustomReflectable {
    package var description: String { "WipedBytes(\(count) bytes)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Overwrites a secret array with zeros (`sodium_memzero`), which no optimiser leaves out.
///
/// If somebody else refers to the array, only the caller's own copy is wiped: wipe it where it was made.
package func wipe(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return }
        unsafe sodium_memzero(start, buffer.count)
    }
}
