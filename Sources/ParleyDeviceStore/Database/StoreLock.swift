import Glibc

/// A lock that one holder in the whole system has at a time (`flock` of a file made for it, which stays). It ends with
/// the last reference or with the process.
final class StoreLock: Sendable {
    private let descriptor: Int32

    /// - Returns: `nil` if somebody else has it.
    init?(ifFree path: String) throws(DeviceStoreError) {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotOpen(path, errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw .cannotOpen(path, errno: errno) }
            return nil
        }
    }

    func release() { flock(descriptor, LOCK_UN) }

    deinit { close(descriptor) }
}
