import COpenSSL

/// The entry to OpenSSL's libcrypto: every return code is checked, and a failure leaves nothing in the thread's queue
/// of errors, where the next user of the library on this thread would take it for its own.
enum Library {
    /// Runs one call; a return code other than 1 is `failure`.
    static func call(orThrow failure: OpenSSLError, _ body: () -> CInt) throws(OpenSSLError) {
        guard succeeds(body) else { throw failure }
    }

    /// Whether the return code of a call is 1.
    static func succeeds(_ body: () -> CInt) -> Bool {
        guard body() == 1 else {
            ERR_clear_error()
            return false
        }
        return true
    }

    /// The result of a call, which the caller frees.
    static func made(orThrow failure: OpenSSLError, _ body: () -> OpaquePointer?) throws(OpenSSLError) -> OpaquePointer
    {
        guard let made = unsafe body() else {
            ERR_clear_error()
            throw failure
        }
        return unsafe made
    }

    /// An array of `count` bytes that `body` fills.
    ///
    /// - Parameter body: gets the first byte's address. It has written all of them when its return code is 1; with any
    ///   other, what it wrote is wiped and nothing of it is seen.
    static func bytes(
        count: Int, orThrow failure: OpenSSLError, _ body: (UnsafeMutablePointer<UInt8>) -> CInt
    ) throws(OpenSSLError) -> [UInt8] {
        var isDone = false
        let result = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            // Where there is no byte the address may be null.
            var nothing: UInt8 = 0
            isDone = unsafe withUnsafeMutablePointer(to: &nothing) { nothing in
                let start = unsafe buffer.baseAddress ?? nothing
                let isDone = succeeds { unsafe body(start) }
                if !isDone { unsafe OPENSSL_cleanse(start, count) }
                return isDone
            }
            initialized = isDone ? count : 0
        }
        guard isDone else { throw failure }
        return result
    }

    /// Whether nothing is left in the thread's queue of errors (`ERR_peek_error`); for tests.
    static var leavesNoError: Bool { ERR_peek_error() == 0 }
}

extension Span<UInt8> {
    /// The bytes as C takes them: an address, which is never null, and a length.
    func withCBytes<Result>(_ body: (UnsafePointer<UInt8>, Int) -> Result) -> Result {
        unsafe withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else {
                return unsafe withUnsafePointer(to: 0) { nothing in unsafe body(nothing, 0) }
            }
            return unsafe body(start, buffer.count)
        }
    }

    /// - Throws: `OpenSSLError.wrongLength` unless there are `expected` bytes.
    func requireCount(_ expected: Int) throws(OpenSSLError) {
        guard count == expected else { throw .wrongLength(expected: expected, actual: count) }
    }

    /// How many bytes there are, as OpenSSL counts them.
    ///
    /// - Throws: `OpenSSLError.tooLong`.
    func cCount() throws(OpenSSLError) -> CInt {
        guard let count = CInt(exactly: count) else { throw .tooLong }
        return count
    }
}

/// Overwrites an array that held a secret with zeros (`OPENSSL_cleanse`), which no optimiser leaves out.
func cleanse(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return }
        unsafe OPENSSL_cleanse(start, buffer.count)
    }
}
