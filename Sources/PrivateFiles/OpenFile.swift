import Platform

/// An open file that any thread reads and writes at offsets of its choice. Symbolic links are not followed.
package final class OpenFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// How a file is opened.
    package enum Mode: Sendable {
        case reading
        /// The file exists.
        case writing
        /// The file is made, mode 0600, if there is none.
        case making
    }

    /// `open`
    package init(_ path: String, for mode: Mode) throws(FileError) {
        let flags =
            switch mode {
            case .reading: O_RDONLY
            case .writing: O_RDWR
            case .making: O_RDWR | O_CREAT
            }
        self.path = path
        descriptor = unsafe open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(call: "open", path: path, errno: errno) }
        if mode == .making { try Files.giveToOwnerOfDirectory(descriptor, at: path) }
    }

    /// `open` for reading, of the file that a symbolic link leads to, too.
    package init(resolving path: String) throws(FileError) {
        self.path = path
        descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(call: "open", path: path, errno: errno) }
    }

    deinit {
        // A child process that is being started may share the lock for a moment.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// `flock` without waiting. The lock ends with this value.
    ///
    /// - Returns: `false` if another opening of this file has the lock, here or in another process.
    package func lock() throws(FileError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw error("flock") }
        }
        return true
    }

    /// `fstat`: the number of bytes.
    package var size: Int {
        get throws(FileError) { Int(exactly: try status().st_size) ?? .max }
    }

    /// `fstat` and `stat`: whether the name that was opened is still this file's.
    package var hasItsName: Bool {
        get throws(FileError) {
            let own = try status()
            var named = stat()
            guard unsafe stat(path, &named) == 0 else {
                guard errno == ENOENT else { throw error("stat") }
                return false
            }
            return own.st_dev == named.st_dev && own.st_ino == named.st_ino
        }
    }

    private func status() throws(FileError) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw error("fstat") }
        return status
    }

    /// `fstatvfs`: the bytes that this file's volume has left for its owner.
    package var freeBytes: Int {
        get throws(FileError) {
            var volume = statvfs()
            guard unsafe fstatvfs(descriptor, &volume) == 0 else { throw error("fstatvfs") }
            return Files.freeBytes(volume)
        }
    }

    /// `pwrite` until all is written.
    @safe package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw error("pwrite") }
            written += count
        }
    }

    /// `pread`: as many bytes as there are, and room for them.
    ///
    /// - Returns: how many.
    @safe package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw error("pread") }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// `pwrite` until all is written.
    package func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        let result = unsafe bytes.withUnsafeBytes { buffer -> Result<Void, FileError> in
            do throws(FileError) { return .success(try write(buffer, at: offset)) } catch { return .failure(error) }
        }
        try result.get()
    }

    /// `pread`: at most `count` bytes; fewer only at the end of the file.
    package func read(count: Int, at offset: Int) throws(FileError) -> [UInt8] {
        var failure: FileError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
            do throws(FileError) {
                filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// `ftruncate`
    package func truncate(to size: Int) throws(FileError) {
        while ftruncate(descriptor, off_t(size)) != 0 {
            guard errno == EINTR else { throw error("ftruncate") }
        }
    }

    /// `fsync`
    package func synchronize() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw error("fsync") }
    }

    /// `posix_fadvise`
    package func adviseSequentialReading() { Platform.adviseSequentialReading(of: descriptor) }

    private func error(_ call: String) -> FileError { FileError(call: call, path: path, errno: errno) }
}

extension Files {
    /// `statvfs`: the bytes that the volume of this path has left for its owner.
    package static func freeBytes(at path: String) throws(FileError) -> Int {
        var volume = statvfs()
        guard unsafe statvfs(path, &volume) == 0 else { throw FileError(call: "statvfs", path: path, errno: errno) }
        return freeBytes(volume)
    }

    static func freeBytes(_ volume: statvfs) -> Int {
        let (bytes, overflow) = UInt64(volume.f_bavail).multipliedReportingOverflow(by: UInt64(volume.f_frsize))
        return overflow ? .max : Int(clamping: bytes)
    }

    /// `utimensat`: sets the time of a file's last change to now.
    package static func touch(_ path: String) throws(FileError) {
        guard unsafe utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw FileError(call: "utimensat", path: path, errno: errno)
        }
    }

    /// `mkdir` with mode 0700, and `fsync` of the directory that it is in.
    ///
    /// - Returns: `false` if it exists.
    @discardableResult
    package static func makePrivateDirectory(_ name: String, in directory: String) throws(FileError) -> Bool {
        let path = "\(directory)/\(name)"
        guard unsafe mkdir(path, 0o700) == 0 else {
            guard errno == EEXIST else { throw FileError(call: "mkdir", path: path, errno: errno) }
            return false
        }
        try giveToOwnerOfDirectory(directory: path)
        try synchronize(directory: directory)
        return true
    }

    /// `stat`: the size of a regular file, and the time of its last change in milliseconds since 1970; `nil` for
    /// anything else, such as a directory or a pipe. Follows symbolic links.
    package static func regularFile(_ path: String) throws(FileError) -> (size: Int, changed: Int64)? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileError(call: "stat", path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        return (Int(exactly: status.st_size) ?? .max, status.milliseconds)
    }

    /// `stat`: whether there is a directory of this name. Follows symbolic links.
    package static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// `stat`: the size of a file, and the time of its last change in milliseconds since 1970; `nil` if there is none.
    package static func status(of path: String) throws(FileError) -> (size: Int, changed: Int64)? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw FileError(call: "lstat", path: path, errno: errno) }
            return nil
        }
        return (Int(exactly: status.st_size) ?? .max, status.milliseconds)
    }
}

extension stat {
    /// The time of the last change of the content, since 1970.
    fileprivate var milliseconds: Int64 {
        let changed = contentChanged
        return Int64(changed.tv_sec) * 1000 + Int64(changed.tv_nsec) / 1_000_000
    }
}
