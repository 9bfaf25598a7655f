import Foundation
import PrivateFiles

/// Holds a data directory for one gateway: two processes that write one database can destroy it.
package final class DirectoryLock: Sendable {
    private let lock: FileLock

    /// - Throws: a sentence, if another gateway holds it.
    package convenience init(_ directory: DataDirectory) throws(DataDirectoryError) {
        try self.init(directory, taken: "the data directory \(directory.path) is in use by another gateway")
    }

    /// For work on the directory of a gateway that does not run.
    ///
    /// - Throws: a sentence, if it does.
    package convenience init(ofStopped directory: DataDirectory) throws(DataDirectoryError) {
        try self.init(directory, taken: "the gateway of \(directory.path) runs; stop parleyd first")
    }

    private init(_ directory: DataDirectory, taken: String) throws(DataDirectoryError) {
        let path = directory.path + "/parleyd.lock"
        let lock: FileLock?
        do throws(FileError) {
            lock = try FileLock(ifFree: path)
        } catch {
            throw DataDirectoryError("cannot open \(path): \(error.reason)")
        }
        guard let lock else { throw DataDirectoryError(taken) }
        self.lock = lock
    }

    /// Lets another gateway have the directory; the end of the process does it too.
    package func release() { lock.release() }
}

/// A line on standard output that is printed once.
package final class ReadyLine: Sendable {
    private let text: String
    private let isPrinted = Monitor(false)

    package init(text: String) { self.text = text }

    package func print() {
        let isFirst = isPrinted.withLock { printed in
            defer { printed = true }
            return !printed
        }
        guard isFirst else { return }
        // Past the buffer of `print`, for whoever waits for this line at the other end of a pipe.
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
