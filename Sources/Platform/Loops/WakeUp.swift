import Synchronization

/// Wakes a loop that waits in ``waitForEvents(_:timeout:)``, from any thread.
package final class WakeUp: Sendable {
    /// Readable after ``signal()`` until ``drain()``.
    package let descriptor: Int32
    private let writeEnd: Int32
    /// Whether a byte is under way, so that further signals need no system call.
    private let isSignalled = Atomic(false)

    package init() throws(SystemError) {
        (descriptor, writeEnd) = try StreamSocket.pair()
    }

    deinit {
        close(descriptor)
        close(writeEnd)
    }

    /// Never blocks. Several signals before one drain are one.
    package func signal() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Syscalls.writeByte(to: writeEnd)
    }

    /// Call it before looking for work, so that none is missed.
    package func drain() {
        Syscalls.drain(descriptor)
        _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing)
    }
}
