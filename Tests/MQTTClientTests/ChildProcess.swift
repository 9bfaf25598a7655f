import Glibc

/// A program that a test starts and ends.
///
/// Not Foundation's `Process`: that hands its child the signal mask of a runtime thread, on which SIGTERM is blocked, so
/// that a broker cannot be told to end.
struct ChildProcess: ~Copyable {
    let identifier: pid_t

    /// `posix_spawn` with no signal blocked, and output thrown away.
    init(_ path: String, arguments: [String]) throws {
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
        for descriptor: Int32 in 0...2 {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }

        var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var child: pid_t = 0
        let code = unsafe posix_spawn(&child, path, &actions, &attributes, &words, environ)
        guard code == 0 else { throw CannotStart(errno: code) }
        identifier = child
    }

    deinit {
        kill(identifier, SIGKILL)
        waitpid(identifier, nil, 0)
    }

    /// Waits until it ends by itself.
    consuming func waitForEnd() {
        waitpid(identifier, nil, 0)
        discard self
    }

    /// Sends `signal` and waits for the end.
    consuming func end(with signal: Int32) {
        kill(identifier, signal)
        waitpid(identifier, nil, 0)
        discard self
    }
}

struct CannotStart: Error {
    let errno: Int32
}
