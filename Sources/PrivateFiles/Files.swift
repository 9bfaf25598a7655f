import Platform

/// The system calls on files that this module makes, each retried when a signal interrupts it.
package enum Files {
    /// `mkdir` with mode 0700; one that exists is left as it is.
    package static func makePrivateDirectory(_ path: String) throws(FileError) {
        guard unsafe mkdir(path, 0o700) == 0 else {
            guard errno == EEXIST else { throw FileError(call: "mkdir", path: path, errno: errno) }
            return
        }
        try giveToOwnerOfDirectory(directory: path)
    }

    /// As ``makePrivateDirectory(_:)``, also for those that it is in.
    package static func makePrivateDirectories(_ path: String) throws(FileError) {
        let parent = directory(of: path)
        if parent != "/", parent != ".", !parent.isEmpty, unsafe access(parent, F_OK) != 0 {
            try makePrivateDirectories(parent)
        }
        try makePrivateDirectory(path)
    }

    /// `open` and `fchmod`: makes an empty file if there is none, and sets mode 0600, whatever the umask and its mode.
    /// Does not follow a symbolic link.
    package static func makePrivateFile(_ path: String) throws(FileError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(call: "open", path: path, errno: errno) }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw FileError(call: "fchmod", path: path, errno: errno) }
        try giveToOwnerOfDirectory(descriptor, at: path)
    }

    /// `umask`: new files of this process are its owner's alone, whichever library makes them.
    package static func makeNewFilesPrivate() { umask(0o077) }

    /// `rename`, and `fsync` of the directory of the new name.
    package static func move(_ path: String, to target: String) throws(FileError) {
        guard unsafe rename(path, target) == 0 else { throw FileError(call: "rename", path: path, errno: errno) }
        try synchronize(directory: directory(of: target))
    }

    /// `link`: a second name of the file, and `fsync` of its directory.
    package static func link(_ path: String, as target: String) throws(FileError) {
        guard unsafe Platform.link(path, target) == 0 else { throw FileError(call: "link", path: path, errno: errno) }
        try synchronize(directory: directory(of: target))
    }

    /// `realpath`
    package static func absolutePath(_ path: String) throws(FileError) -> String {
        guard let resolved = unsafe realpath(path, nil) else {
            throw FileError(call: "realpath", path: path, errno: errno)
        }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// `lstat`: whether this is a file, and no link, directory or pipe.
    package static func isRegularFile(_ path: String) throws(FileError) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw FileError(call: "lstat", path: path, errno: errno) }
        return status.st_mode & S_IFMT == S_IFREG
    }

    /// `stat`: the bytes of a file; `nil` where there is none, or it cannot be looked at.
    package static func size(of path: String) -> Int? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(clamping: status.st_size) : nil
    }

    /// `stat` of the current file of this name; `nil` if there is none.
    package static func identity(of path: String) throws(FileError) -> FileIdentity? {
        var status = stat()
        guard unsafe stat(path, &status) != 0 else { return FileIdentity(status) }
        guard errno != ENOENT else { return nil }
        throw FileError(call: "stat", path: path, errno: errno)
    }
}
