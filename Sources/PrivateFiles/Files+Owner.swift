import Platform

/// Whose something in a directory is, and who may use it.
package struct FilePermissions: Hashable, Sendable {
    package let owner: UInt32
    package let isDirectory: Bool
    /// Whether anybody but its owner may read, write or execute it.
    package let isOpenToOthers: Bool
    /// Whether everybody may read it.
    package let isReadableByAll: Bool
}

extension Files {
    /// `stat`
    package static func permissions(of path: String) throws(FileError) -> FilePermissions {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileError(call: "stat", path: path, errno: errno) }
        return FilePermissions(
            owner: status.st_uid, isDirectory: status.st_mode & S_IFMT == S_IFDIR,
            isOpenToOthers: status.st_mode & 0o077 != 0, isReadableByAll: status.st_mode & 0o004 != 0)
    }

    /// `fchown`: has root give what it has just made to the owner of the directory that it is in. A command of root's
    /// would else leave files in somebody's directory that they cannot open. Does nothing for anybody else.
    ///
    /// - Parameters:
    ///   - descriptor: of a file that was opened without following a link. One that somebody else owns, or that has
    ///     another name, stays as it is: it was there before.
    ///   - path: that of the file or directory.
    static func giveToOwnerOfDirectory(_ descriptor: Int32, at path: String) throws(FileError) {
        guard geteuid() == 0 else { return }
        var (made, directory) = (stat(), stat())
        guard unsafe fstat(descriptor, &made) == 0 else { throw FileError(call: "fstat", path: path, errno: errno) }
        let isDirectory = made.st_mode & S_IFMT == S_IFDIR
        guard made.st_uid == 0, isDirectory || made.st_nlink == 1 else { return }
        let parent = self.directory(of: path)
        guard unsafe stat(parent, &directory) == 0 else { throw FileError(call: "stat", path: parent, errno: errno) }
        guard directory.st_uid != 0, directory.st_mode & S_ISVTX == 0 else { return }
        guard fchown(descriptor, directory.st_uid, directory.st_gid) == 0 else {
            throw FileError(call: "fchown", path: path, errno: errno)
        }
    }

    /// The same for a directory, which is opened for it.
    static func giveToOwnerOfDirectory(directory path: String) throws(FileError) {
        guard geteuid() == 0 else { return }
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(call: "open", path: path, errno: errno) }
        defer { close(descriptor) }
        try giveToOwnerOfDirectory(descriptor, at: path)
    }

    /// The directory in which something of this path is.
    static func directory(of path: String) -> String {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}
