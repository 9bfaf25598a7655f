import CSodium

/// The one place where libsodium is entered: initialised once, each return code checked.
enum Library {
    /// The outcome of `sodium_init`: 0 for the first call, 1 for later ones, -1 for a failure.
    private static let initialisation = sodium_init()

    /// - Throws: `SodiumError.unavailable` if the library cannot be initialised.
    static func start() throws(SodiumError) {
        guard initialisation >= 0 else { throw .unavailable }
    }

    /// Runs one libsodium call after initialisation; a return code other than 0 is `failure`.
    static func call(
        orThrow failure: SodiumError, _ body: () -> CInt
    ) throws(SodiumError) {
        try start()
        guard body() == 0 else { throw failure }
    }

    /// Runs one libsodium check after initialisation: whether its return code is 0.
    static func succeeds(_ body: () -> CInt) -> Bool {
        initialisation >= 0 && body() == 0
    }

    /// An array of `count` bytes that `body` fills.
    ///
    /// - Parameter body: gets the first byte's address. It has written all of them when its return code is 0; with any
    ///   other, nothing of what it wrote is seen.
    static func bytes(
        count: Int, orThrow failure: SodiumError, _ body: (UnsafeMutablePointer<UInt8>) -> CInt
    ) throws(SodiumError) -> [UInt8] {
        try start()
        var code: CInt = -1
        let result = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            guard let start = buffer.baseAddress else { return }
            code = unsafe body(start)
            initialized = code == 0 ? count : 0
        }
        guard code == 0 else { throw failure }
        return result
    }
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

    /// - Throws: `SodiumError.wrongLength` unless there are `expected` bytes.
    func requireCount(_ expected: Int) throws(SodiumError) {
        guard count == expected else { throw .wrongLength(expected: expected, actual: count) }
    }
}

extension MutableSpan<UInt8> {
    /// The bytes as C takes them: an address, which is never null, and a length.
    mutating func withCBytes<Result>(_ body: (UnsafeMutablePointer<UInt8>, Int) -> Result) -> Result {
        unsafe withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else {
                var nothing: UInt8 = 0
                return unsafe withUnsafeMutablePointer(to: &nothing) { nothing in unsafe body(nothing, 0) }
            }
            return unsafe body(start, buffer.count)
        }
    }
}
