import Foundation
import Platform
import Synchronization

/// A program that a test or a measurement starts and ends. It ends with the value.
///
/// Not Foundation's `Process`: that hands its child the signal mask of a runtime thread, on which SIGTERM is blocked.
package final class ChildProcess: Sendable {
    package let identifier: pid_t
    private let ending = Ending()

    package static let longestLife = Duration.seconds(300)

    /// - Parameters:
    ///   - directory: where it works.
    ///   - output: the file that its standard output is written to; thrown away if left out.
    ///   - errors: the file that its standard error is added to; thrown away if left out.
    package init(
        _ path: String, _ arguments: [String], directory: String = "/", output: String = "/dev/null",
        errors: String = "/dev/null"
    ) throws {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        // Other tests may just now have a pipe open that only their own child is to inherit: whoever reads it to its
        // end would wait for this one, too.
        for descriptor in 3...ChildProcess.highestDescriptor {
            unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
        }

        // `env -C` changes the directory and becomes the program: `posix_spawn` cannot do it in every C library.
        var words = unsafe (["env", "-C", directory, path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var child: pid_t = 0
        let code = unsafe posix_spawn(&child, "/usr/bin/env", &actions, &attributes, &words, environ)
        guard code == 0 else { throw SpawnError(path: path, errno: code) }
        let identifier = child
        self.identifier = identifier
        // At once, and not when somebody asks: a process that ended and was not waited for hides the ends of others
        // from the testing library, which then waits for its exit tests in vain.
        try LoopThread.detach(name: "child-\(identifier)") { [ending] in ending.await(identifier) }
    }

    /// Above every descriptor that is open here now, and those that others open meanwhile. To close one that is not
    /// open is no error.
    private static var highestDescriptor: Int32 {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return (open.compactMap { Int32($0) }.max() ?? 0) + 64
    }

    deinit {
        guard isRunning else { return }
        kill(identifier, SIGKILL)
        waitUntilEnded()
    }

    package func send(_ signal: Int32) {
        if isRunning { kill(identifier, signal) }
    }

    /// Sends a signal and waits for the end.
    ///
    /// - Parameter grace: after it a program that goes on is killed.
    /// - Returns: as ``waitUntilEnded(within:)``.
    @discardableResult
    package func end(with signal: Int32 = SIGTERM, grace: Duration = longestLife) -> Int32 {
        send(signal)
        return waitUntilEnded(within: grace)
    }

    /// Limits the size of the files that it writes, as a full disk does; `nil` for no limit.
    package func limitFileSize(_ bytes: UInt?, scratch: String) throws {
        let limit = bytes.map(String.init) ?? "unlimited"
        let prlimit = try ChildProcess(
            "/usr/bin/prlimit", ["--pid", "\(identifier)", "--fsize=\(limit):unlimited"], directory: "/",
            output: scratch, errors: scratch)
        let status = prlimit.waitUntilEnded()
        guard status == 0 else { throw SpawnError(path: "prlimit", errno: status) }
    }

    package var isRunning: Bool { status() == nil }

    /// Waits for its end. A program that does not come to it is killed when `longest` is over, so that a test fails and
    /// does not hold up all others for ever.
    ///
    /// - Returns: its exit status, or 128 and the signal's number.
    @discardableResult
    package func waitUntilEnded(within longest: Duration = longestLife) -> Int32 {
        let deadline = ContinuousClock.now.advanced(by: longest)
        while true {
            if let status = status() { return status }
            if ContinuousClock.now > deadline { kill(identifier, SIGKILL) }
            usleep(2_000)
        }
    }

    /// Waits until it is as it must be to be used.
    ///
    /// - Throws: `StartError`, with what it said, when it has ended, or did not get there in two minutes.
    package func awaitStart(
        _ name: String, said: @autoclosure () -> String, until isReady: () throws -> Bool
    ) throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(120))
        while try !isReady() {
            guard isRunning, ContinuousClock.now < deadline else { throw StartError(name, said()) }
            usleep(1_000)
        }
    }

    /// How it ended, as its exit status or 128 and the signal's number; `nil` while it runs.
    package func status() -> Int32? { ending.status.withLock { $0 } }
}

private final class Ending: Sendable {
    let status = Mutex<Int32?>(nil)

    func await(_ child: pid_t) {
        var word: Int32 = 0
        while unsafe waitpid(child, &word, 0) < 0 {
            guard errno == EINTR else { return status.withLock { $0 = -1 } }
        }
        let signal = word & 0x7F
        status.withLock { $0 = signal == 0 ? (word >> 8) & 0xFF : 128 + signal }
    }
}

package struct SpawnError: Error {
    package let path: String
    package let errno: Int32

    package init(path: String, errno: Int32) {
        self.path = path
        self.errno = errno
    }
}

package struct StartError: Error, CustomStringConvertible {
    package let description: String

    package init(_ program: String, _ said: String) { description = "\(program) did not start: \(said)" }
}
