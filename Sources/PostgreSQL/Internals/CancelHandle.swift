import CPostgreSQL

/// Owns a `PGcancel`, which libpq lets any thread use: it does not change after it was made.
@safe final class CancelHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }

    /// `PQfreeCancel`
    deinit { unsafe PQfreeCancel(pointer) }

    /// `PQcancel`, by a connection of its own.
    ///
    /// - Returns: whether the request was sent.
    func cancel() -> Bool {
        var reason: [CChar] = Array(repeating: 0, count: 256)
        return unsafe PQcancel(pointer, &reason, Int32(reason.count)) == 1
    }
}
