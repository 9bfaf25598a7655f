import Platform

/// A lock that one holder in the whole system has at a time (`flock` of a file made for it, mode 0600).
///
/// It ends with ``release()``, with the last reference, or with the process, however that ends. The file stays: to
/// remove it would let two have the lock. Two locks on one file exclude each other inside a process, too.
///
/// `flock` locks belong to the open file description, which a child process that any thread starts shares until its
/// `exec` closes the copy. To close the descriptor is therefore not enough to end the lock: it is always unlocked
/// first, which holds for all copies at once.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// The time for which a held lock is asked for again. A process that was killed while it started a child leaves the
    /// lock with that child until its `exec`, some milliseconds on a busy machine.
    package static let patience: Duration = .milliseconds(500)
    private static let pauseMicroseconds: UInt32 = 5000

    /// Blocks the thread until the lock is free, which takes a write or two.
    package init(waitingFor path: String) throws(FileError) {
        descriptor = try FileLock.open(path)
        _ = try acquire(LOCK_EX, path)
    }

    /// - Parameter patience: the time for which the lock is asked for, blocking the thread.
    /// - Returns: `nil` if somebody else has the lock.
    package init?(ifFree path: String, patience: Duration = FileLock.patience) throws(FileError) {
        descriptor = try FileLock.open(path)
        let deadline = ContinuousClock.now + patience
        while try !acquire(LOCK_EX | LOCK_NB, path) {
            guard ContinuousClock.now < deadline else { return nil }
            usleep(FileLock.pauseMicroseconds)
        }
    }

    /// Whether somebody has the lock now. The file is not made.
    ///
    /// It is asked for by a lock that others may share, for a moment: shorter than ``patience``.
    package static func isHeld(_ path: String) throws(FileError) -> Bool {
        let descriptor = unsafe Platform.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return false }
            throw FileError(call: "open", path: path, errno: errno)
        }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_SH | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return true }
            guard errno == EINTR else { throw FileError(call: "flock", path: path, errno: errno) }
        }
        flock(descriptor, LOCK_UN)
        return false
    }

    /// `flock` with `LOCK_UN`, which also ends the lock where a child process shares the descriptor.
    package func release() { flock(descriptor, LOCK_UN) }

    deinit {
        release()
        close(descriptor)
    }

    private static func open(_ path: String) throws(FileError) -> Int32 {
        let descriptor = unsafe Platform.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(call: "open", path: path, errno: errno) }
        do throws(FileError) {
            try Files.giveToOwnerOfDirectory(descriptor, at: path)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// - Returns: `false` if somebody else has the lock and `operation` does not wait.
    private func acquire(_ operation: Int32, _ path: String) throws(FileError) -> Bool {
        while flock(descriptor, operation) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw FileError(call: "flock", path: path, errno: errno) }
        }
        return true
    }
}
