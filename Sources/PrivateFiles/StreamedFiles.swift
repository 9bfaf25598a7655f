import Platform

/// A file that is read in pieces, from its beginning to its end.
package struct FileReader: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// `open` and `posix_fadvise`
    package init(_ path: String) throws(FileError) {
        self.path = path
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(call: "open", path: path, errno: errno) }
        adviseSequentialReading(of: descriptor)
    }

    deinit { close(descriptor) }

    /// `read`: appends the next bytes, as many as there is room for; none at the end.
    package func read(into target: inout OutputSpan<UInt8>) throws(FileError) {
        while true {
            let failure = unsafe target.withUnsafeMutableBufferPointer { buffer, filled -> Int32 in
                let room = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let count = unsafe Platform.read(descriptor, room.baseAddress, room.count)
                if count > 0 { filled += count }
                return count < 0 ? errno : 0
            }
            if failure == 0 { return }
            guard failure == EINTR else { throw FileError(call: "read", path: path, errno: failure) }
        }
    }
}

/// A file of mode 0600 that is written in pieces, and appears under its name only as a whole.
///
/// Until `commit` it lies beside its place under another name, and is removed unless it is committed.
package struct FileWriter: ~Copyable {
    private let descriptor: Int32
    private let path: String
    private let temporary: String
    private var isCommitted = false

    /// `open` of a new file.
    package init(_ path: String) throws(FileError) {
        self.path = path
        temporary = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).part"
        descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(call: "open", path: temporary, errno: errno) }
    }

    deinit {
        close(descriptor)
        if !isCommitted { _ = unsafe unlink(temporary) }
    }

    /// `write` until all is written.
    package func write(_ bytes: Span<UInt8>) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let (count, failure) = unsafe bytes.extracting(written...).withUnsafeBytes { buffer in
                (unsafe Platform.write(descriptor, buffer.baseAddress, buffer.count), errno)
            }
            if count < 0, failure == EINTR { continue }
            guard count >= 0 else { throw FileError(call: "write", path: temporary, errno: failure) }
            written += count
        }
    }

    /// `fsync`, `rename` to its place, where it replaces an older file, and `fsync` of the directory.
    package mutating func commit() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw FileError(call: "fsync", path: temporary, errno: errno) }
        guard unsafe rename(temporary, path) == 0 else { throw FileError(call: "rename", path: path, errno: errno) }
        isCommitted = true
        try Files.synchronize(directory: Self.directory(of: path))
    }

    /// As ``commit()``, under a name that is still free: it is taken first (`open` with `O_EXCL`).
    ///
    /// - Returns: `false` if there is something of this name; then the file waits for another one.
    package mutating func commit(asNew target: String) throws(FileError) -> Bool {
        guard fsync(descriptor) == 0 else { throw FileError(call: "fsync", path: temporary, errno: errno) }
        let taken = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard taken >= 0 else {
            guard errno == EEXIST else { throw FileError(call: "open", path: target, errno: errno) }
            return false
        }
        close(taken)
        guard unsafe rename(temporary, target) == 0 else {
            let failure = errno
            _ = unsafe unlink(target)
            throw FileError(call: "rename", path: target, errno: failure)
        }
        isCommitted = true
        try Files.synchronize(directory: Self.directory(of: target))
        return true
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
