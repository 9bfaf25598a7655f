import Platform

extension Files {
    /// Replaces `directory/name`, mode 0600, so that after a crash either the old or the new content is there as a
    /// whole: `open` of a new file beside it, `write`, `fsync`, `rename`, `fsync` of the directory.
    ///
    /// A killed process leaves a file beside it, with a name that begins with a dot.
    package static func replace(_ name: String, in directory: String, with bytes: [UInt8]) throws(FileError) {
        let temporary = ".\(name).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        try replace(name, in: directory, by: temporary, O_EXCL, with: bytes)
    }

    /// Replaces a file that is written only under a lock: the remains of a killed process go with the next replacement.
    ///
    /// - Parameter lock: taken by every writer of this file.
    package static func replace(
        _ name: String, in directory: String, with bytes: [UInt8], holding lock: FileLock
    ) throws(FileError) {
        try replace(name, in: directory, by: unfinishedName(of: name), O_TRUNC, with: bytes)
        withExtendedLifetime(lock) {}
    }

    /// Removes the remains of a process that was killed while it replaced `directory/name` under this lock.
    package static func removeUnfinished(_ name: String, in directory: String, holding lock: FileLock) {
        _ = unsafe unlink("\(directory)/\(unfinishedName(of: name))")
        withExtendedLifetime(lock) {}
    }

    /// `unlink`, and `fsync` of the directory; a file that is not there is no error.
    package static func remove(_ name: String, in directory: String) throws(FileError) {
        let path = "\(directory)/\(name)"
        guard unsafe unlink(path) == 0 else {
            guard errno == ENOENT else { throw FileError(call: "unlink", path: path, errno: errno) }
            return
        }
        try synchronize(directory: directory)
    }

    /// Whether ``removeUnfinished(_:in:holding:)`` has something to remove, or a replacement is under way.
    package static func hasUnfinished(_ name: String, in directory: String) -> Bool {
        unsafe access("\(directory)/\(unfinishedName(of: name))", F_OK) == 0
    }

    /// The temporary name of a file whose writers hold a lock.
    private static func unfinishedName(of name: String) -> String { ".\(name).new" }

    private static func replace(
        _ name: String, in directory: String, by temporaryName: String, _ flag: Int32, with bytes: [UInt8]
    ) throws(FileError) {
        let path = "\(directory)/\(name)"
        let temporary = "\(directory)/\(temporaryName)"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flag, 0o600)
        guard descriptor >= 0 else { throw FileError(call: "open", path: temporary, errno: errno) }
        do throws(FileError) {
            defer { close(descriptor) }
            try giveToOwnerOfDirectory(descriptor, at: temporary)
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
                (unsafe Platform.write(descriptor, buffer.baseAddress, buffer.count), errno)
            }
            if count < 0, failure == EINTR { continue }
            guard count >= 0 else { throw FileError(call: "write", path: path, errno: failure) }
            written += count
        }
    }

    static func synchronize(directory: String) throws(FileError) {
        let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(call: "open", path: directory, errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileError(call: "fsync", path: directory, errno: errno) }
    }
}
