import MQTTWire
import Foundation

/// A program that this one has started, and ends.
package final class Program {
    package let name: String
    private let process = Process()
    private let output = Pipe()
    private let logPath: String

    /// - Parameters:
    ///   - directory: where it runs.
    ///   - logPath: what it writes to standard error; shown when it fails.
    package init(_ path: String, _ arguments: [String], in directory: String, logPath: String) throws {
        name = URL(fileURLWithPath: path).lastPathComponent
        self.logPath = logPath
        guard FileManager.default.isExecutableFile(atPath: path) else { throw ProgramError.missing(path) }
        guard FileManager.default.createFile(atPath: logPath, contents: nil),
            let log = FileHandle(forWritingAtPath: logPath)
        else { throw ProgramError.unwritable(logPath) }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = log
        try process.run()
    }

    deinit { end() }

    package var pid: Int32 { process.processIdentifier }

    /// Waits until `isReady`, for at most 30 seconds.
    package func wait(until isReady: () -> Bool) throws {
        let deadline = MonotonicTime.now + 30_000_000_000
        while !isReady() {
            guard process.isRunning else { throw ProgramError.ended(name, log: logTail) }
            guard MonotonicTime.now < deadline else { throw ProgramError.notReady(name, log: logTail) }
            usleep(1000)
        }
    }

    /// Waits for a line on standard output that begins so.
    package func wait(forLine beginning: String) throws {
        var read = ""
        let descriptor = output.fileHandleForReading.fileDescriptor
        try wait {
            var entry = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
            guard let ready = try? Socket.poll(&entry, nanoseconds: 0), ready > 0 else { return false }
            read += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            return read.split(separator: "\n").contains { $0.hasPrefix(beginning) }
        }
    }

    /// SIGTERM, and SIGKILL to what has not ended 10 seconds later.
    package func end() {
        guard process.isRunning else { return }
        process.terminate()
        let deadline = MonotonicTime.now + 10_000_000_000
        while process.isRunning {
            if MonotonicTime.now > deadline { kill(pid, SIGKILL) }
            usleep(1000)
        }
    }

    private var logTail: String {
        let log = FileManager.default.contents(atPath: logPath) ?? Data()
        return String(decoding: log.suffix(2000), as: UTF8.self)
    }
}

package enum ProgramError: Error, CustomStringConvertible {
    case missing(String)
    case unwritable(String)
    case ended(String, log: String)
    case notReady(String, log: String)

    package var description: String {
        switch self {
        case .missing(let path): "there is no program \(path)"
        case .unwritable(let path): "\(path) cannot be written"
        case .ended(let name, let log): "\(name) ended before it was ready; it said:\n\(log)"
        case .notReady(let name, let log): "\(name) did not get ready; it said:\n\(log)"
        }
    }
}
