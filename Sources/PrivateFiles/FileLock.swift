import Glibc

/// A lock that one holder in the whole system has at a time (`flock` of a file made for it, mode 0600).
///
/// It ends with ``release()``, with the last reference, or with the process, however that ends. The file stays: to
/// remove it would let two have the lock. Two locks on one file exclude each other inside a process, too.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Waits until nobody else has the lock: for the time of a write or two, blocking the thread.
    package init(waitingFor path: String) throws(FileError) {
        descriptor = try FileLock.open(path)
        try takeLock(LOCK_EX, path)
    }

    /// - Returns: `nil` if somebody else has the lock.
    package init?(ifFree path: String) throws(FileError) {
        descriptor = try FileLock.open(path)
        do throws(FileError) {
            try takeLock(LOCK_EX | LOCK_NB, path)
        } catch {
            guard error.errno == EWOULDBLOCK else { throw error }
            return nil
        }
    }

    /// Lets the next one have the lock (`flock` with `LOCK_UN`).
    package func release() { flock(descriptor, LOCK_UN) }

    deinit { close(descriptor) }

    private static func open(_ path: String) throws(FileError) -> Int32 {
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(call: "open", path: path, errno: errno) }
        return descriptor
    }

    private func takeLock(_ operation: Int32, _ path: String) throws(FileError) {
        while flock(descriptor, operation) != 0 {
            guard errno == EINTR else { throw FileError(call: "flock", path: path, errno: errno) }
        }
    }
}
