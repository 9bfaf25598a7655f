import Glibc

/// A program that a test has started, by `posix_spawn`.
///
/// Not Foundation's `Process`: a child of that inherits the signal mask of a test's thread, which blocks SIGTERM.
final class ChildProcess {
    private let id: pid_t
    private var status: Int32?

    struct SpawnFailure: Error { let code: Int32 }

    /// Starts a program with its output thrown away, every signal open and as it is by default.
    init(_ path: String, _ arguments: [String]) throws {
        var attributes = posix_spawnattr_t()
        var files = unsafe posix_spawn_file_actions_t()
        var signals = sigset_t()
        unsafe posix_spawnattr_init(&attributes)
        unsafe posix_spawn_file_actions_init(&files)
        defer {
            unsafe posix_spawnattr_destroy(&attributes)
            unsafe posix_spawn_file_actions_destroy(&files)
        }
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        for descriptor in 0..<CInt(3) {
            unsafe posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0)
        }
        var argv: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe argv.indices { unsafe free(argv[index]) } }
        var id = pid_t()
        let code = unsafe posix_spawn(&id, path, &files, &attributes, &argv, environ)
        guard code == 0 else { throw SpawnFailure(code: code) }
        self.id = id
    }

    var isRunning: Bool {
        if status == nil {
            var status: Int32 = 0
            if unsafe waitpid(id, &status, WNOHANG) == id { self.status = status }
        }
        return status == nil
    }

    /// Sends SIGTERM.
    func terminate() {
        if isRunning { kill(id, SIGTERM) }
    }

    /// Waits for the end.
    ///
    /// - Returns: what `waitpid` tells: 0 for exit status 0.
    @discardableResult
    func wait() -> Int32 {
        if let status { return status }
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) == -1, errno == EINTR {}
        self.status = status
        return status
    }
}
