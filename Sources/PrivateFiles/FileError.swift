import Platform

/// The failure to read or write a file: its path, the system call and the reason.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system call.
    public let call: String
    public let path: String
    public let errno: Int32

    /// Whether the file does not exist.
    public var isMissing: Bool { errno == ENOENT }

    /// Whether the file is longer than the reader's limit.
    public var isTooLarge: Bool { errno == EFBIG }

    /// Whether the disk or a quota is full.
    public var isFull: Bool { errno == ENOSPC || errno == EDQUOT || errno == EFBIG && call != "read" }

    /// The system's text for ``errno``.
    public var reason: String { SystemError.reason(errno) }

    public var description: String { "\(path): \(reason) (\(call))" }
}
