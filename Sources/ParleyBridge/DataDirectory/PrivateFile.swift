import Foundation

/// Files that only their owner reads, and that are either whole or not there.
enum PrivateFile {
    /// Writes beside the file, syncs and renames: after a crash there is the old content or the new.
    static func write(_ bytes: [UInt8], to path: String) throws(DataDirectoryError) {
        let temporary = "\(path).\(getpid()).tmp"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("write", path) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: bytes)
            try handle.synchronize()
            try handle.close()
        } catch {
            let error = failure("write", path)
            unsafe unlink(temporary)
            throw error
        }
        guard unsafe rename(temporary, path) == 0 else {
            let error = failure("replace", path)
            unsafe unlink(temporary)
            throw error
        }
    }

    private static func failure(_ verb: String, _ path: String) -> DataDirectoryError {
        DataDirectoryError("cannot \(verb) \(path): \(systemMessage(errno))")
    }
}

/// What the system says of an `errno`.
func systemMessage(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
