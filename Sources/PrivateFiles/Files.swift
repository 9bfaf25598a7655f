import Glibc

/// The system calls on files that this module makes, each retried when a signal interrupts it.
package enum Files {
    /// `mkdir` with mode 0700; one that exists is left as it is.
    package static func makePrivateDirectory(_ path: String) throws(FileError) {
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw FileError(call: "mkdir", path: path, errno: errno)
    }

    /// `realpath`: where a path leads, from the root.
    package static func absolutePath(_ path: String) throws(FileError) -> String {
        guard let resolved = unsafe realpath(path, nil) else {
            throw FileError(call: "realpath", path: path, errno: errno)
        }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// `stat`: what is under the name now, `nil` if there is nothing.
    package static func identity(of path: String) throws(FileError) -> FileIdentity? {
        var status = stat()
        guard unsafe stat(path, &status) != 0 else { return FileIdentity(status) }
        guard errno != ENOENT else { return nil }
        throw FileError(call: "stat", path: path, errno: errno)
    }
}
