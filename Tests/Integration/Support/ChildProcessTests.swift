import Launch
import Platform
import TestSupport
import Testing

@Suite("Programs that tests start")
struct ChildProcessTests {
    @Test("a program inherits nothing that a test has open: a pipe ends with its writer here")
    func inheritsNothing() throws {
        var ends: [Int32] = [-1, -1]
        // Without O_CLOEXEC, as a pipe of an exit test is for a moment.
        try #require(unsafe pipe(&ends) == 0)
        defer { close(ends[0]) }
        let program = try ChildProcess("/usr/bin/sleep", ["600"])
        close(ends[1])
        var readable = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        #expect(unsafe poll(&readable, 1, 60_000) == 1)
        #expect(Int32(readable.revents) & POLLHUP != 0)
        program.end(with: SIGKILL)
    }

    @Test("a program that has ended is gone, though nobody asks how it ended")
    func isWaitedFor() async throws {
        let program = try ChildProcess("/usr/bin/true", [])
        // Of one that ended and was not waited for there is something left to signal.
        try await waiting(for: "its end") { kill(program.identifier, 0) < 0 && errno == ESRCH }
        #expect(program.waitUntilEnded() == 0)
    }
}
