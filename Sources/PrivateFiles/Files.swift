import Glibc

/// The system calls on files that this module makes, each retried when a signal interrupts it.
package enum Files {
    /// `mkdir` with mode 0700; one that exists is left as it is.
    package static func makePrivateDirectory(_ path: String) throws(FileError) {
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw FileError(call: "mkdir", path: path, errno: errno)
    }

    /// `stat`: what is under the name now, `nil` if there is nothing.
    package static func identity(of path: String) throws(FileError) -> FileIdentity? {
        var status = stat()
        guard unsafe stat(path, &status) != 0 else { return FileIdentity(status) }
        guard errno != ENOENT else { return nil }
        throw FileError(call: "stat", path: path, errno: errno)
    }
}
