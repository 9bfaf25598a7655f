import Glibc

/// A file could not be read or written; says which, what was tried and the system's reason.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system call.
    public let call: String
    public let path: String
    public let errno: Int32

    /// Whether there is no such file.
    public var isMissing: Bool { errno == ENOENT }

    public var description: String {
        "\(path): \(unsafe String(cString: strerror(errno))) (\(call))"
    }
}

/// The system calls on files that this module makes, each retried when a signal interrupts it.
package enum Files {
    /// `read` of standard input until its end; more than `maximum` bytes is `EFBIG`.
    package static func readStandardInput(maximum: Int) throws(FileError) -> [UInt8] {
        try read(STDIN_FILENO, named: "standard input", maximum: maximum)
    }

    /// `open` … `read`: the whole of a file of at most `maximum` bytes, and its permissions (`fstat`).
    package static func read(_ path: String, maximum: Int) throws(FileError) -> (bytes: [UInt8], mode: mode_t) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(call: "open", path: path, errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(call: "fstat", path: path, errno: errno) }
        return (try read(descriptor, named: path, maximum: maximum), status.st_mode)
    }

    /// `read` until the end; more than `maximum` bytes is `EFBIG`.
    package static func read(_ descriptor: Int32, named path: String, maximum: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= maximum {
            var failure: Int32 = 0
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: min(maximum + 1 - bytes.count, 1 << 16)) {
                buffer, count in
                let result = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if result < 0 { failure = errno }
                count = max(0, result)
            }
            if failure == EINTR { continue }
            guard failure == 0 else { throw FileError(call: "read", path: path, errno: failure) }
            guard !chunk.isEmpty else { return bytes }
            bytes += chunk
        }
        throw FileError(call: "read", path: path, errno: EFBIG)
    }

    /// `mkdir` with mode 0700; one that exists is left as it is.
    package static func makePrivateDirectory(_ path: String) throws(FileError) {
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw FileError(call: "mkdir", path: path, errno: errno)
    }

    /// Puts `bytes` in place of `directory/name`, mode 0600, so that after a crash either the old or the new content is
    /// there whole: `open` of a new file beside it, `write`, `fsync`, `rename`, `fsync` of the directory.
    package static func replace(_ name: String, in directory: String, with bytes: [UInt8]) throws(FileError) {
        let path = "\(directory)/\(name)"
        let temporary = "\(directory)/.\(name).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(call: "open", path: temporary, errno: errno) }
        do throws(FileError) {
            defer { close(descriptor) }
            try write(bytes, to: descriptor, named: temporary)
            guard fsync(descriptor) == 0 else { throw FileError(call: "fsync", path: temporary, errno: errno) }
            guard unsafe rename(temporary, path) == 0 else { throw FileError(call: "rename", path: path, errno: errno) }
        } catch {
            _ = unsafe unlink(temporary)
            throw error
        }
        try synchronize(directory: directory)
    }

    /// `write` until all is written.
    package static func write(_ bytes: [UInt8], to descriptor: Int32, named path: String) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let (count, failure) = unsafe bytes[written...].withUnsafeBufferPointer { buffer in
                (unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count), errno)
            }
            if count < 0, failure == EINTR { continue }
            guard count >= 0 else { throw FileError(call: "write", path: path, errno: failure) }
            written += count
        }
    }

    private static func synchronize(directory: String) throws(FileError) {
        let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(call: "open", path: directory, errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileError(call: "fsync", path: directory, errno: errno) }
    }
}
