import Platform

/// A file could not be read or written; says which, what was tried and the system's reason.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system call.
    public let call: String
    public let path: String
    public let errno: Int32

    /// Whether there is no such file.
    public var isMissing: Bool { errno == ENOENT }

    /// Whether there is more in the file than the reader takes.
    public var isTooLarge: Bool { errno == EFBIG }

    /// Whether there is no room left.
    public var isFull: Bool { errno == ENOSPC || errno == EDQUOT || errno == EFBIG && call != "read" }

    /// What the system says of ``errno``.
    public var reason: String { SystemError.reason(errno) }

    public var description: String { "\(path): \(reason) (\(call))" }
}
