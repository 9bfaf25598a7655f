/// One descriptor of a wait, and its result.
package struct WatchedDescriptor: Sendable {
    package var descriptor: Int32
    package var wantsRead: Bool
    package var wantsWrite: Bool
    /// Readable, or at its end: reading will not block.
    package fileprivate(set) var isReadable = false
    package fileprivate(set) var isWritable = false

    package init(_ descriptor: Int32, read: Bool = true, write: Bool = false) {
        (self.descriptor, self.wantsRead, self.wantsWrite) = (descriptor, read, write)
    }
}

/// Waits until one of `watched` is ready, or `timeout` has passed (`nil`: without end).
///
/// A broken descriptor counts as readable and writable, so that its owner's next call meets the error. One that wants
/// nothing is skipped, even if broken, because nobody would make that call; and so is a negative one.
///
/// - Returns: the number of ready descriptors; 0 after the timeout.
@discardableResult
package func waitForEvents(_ watched: inout [WatchedDescriptor], timeout: Duration?) throws(SystemError) -> Int {
    let milliseconds = timeout?.wholeMilliseconds ?? -1
    let count = watched.count
    // `withUnsafeTemporaryAllocation` rethrows any error, so a typed one travels as a result.
    let result = unsafe withUnsafeTemporaryAllocation(of: pollfd.self, capacity: count) {
        entries -> Result<Int, SystemError> in
        for index in 0..<count {
            let events = (watched[index].wantsRead ? POLLIN : 0) | (watched[index].wantsWrite ? POLLOUT : 0)
            let descriptor = events == 0 ? -1 : watched[index].descriptor
            unsafe entries.initializeElement(
                at: index, to: pollfd(fd: descriptor, events: Int16(events), revents: 0))
        }
        do throws(SystemError) {
            let ready = try unsafe Syscalls.wait(entries, milliseconds: milliseconds)
            for index in 0..<count {
                let found = unsafe Int32(entries[index].revents)
                let isBroken = found & (POLLERR | POLLHUP | POLLNVAL) != 0
                watched[index].isReadable = found & POLLIN != 0 || isBroken
                watched[index].isWritable = found & POLLOUT != 0 || isBroken
            }
            return .success(ready)
        } catch {
            return .failure(error)
        }
    }
    return try result.get()
}
