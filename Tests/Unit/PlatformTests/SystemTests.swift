import Platform
import Testing

@Suite("What the system gives")
struct SystemTests {
    @Test(
        "clocks that nobody sets only go forward, and count nanoseconds",
        arguments: [SystemClock.monotonic, .sinceBoot])
    func steadyClocks(clock: SystemClock) {
        let first = clock.nanoseconds
        let start = ContinuousClock.now
        var (last, hasGoneBack) = (first, false)
        while ContinuousClock.now - start < .milliseconds(20) {
            let next = clock.nanoseconds
            hasGoneBack = hasGoneBack || next < last
            last = next
        }
        #expect(!hasGoneBack)
        // The two clocks may run at rates that differ a little; a busy machine makes it longer.
        #expect((19_000_000...60_000_000_000).contains(clock.nanoseconds - first))
        #expect(clock.milliseconds >= last / 1_000_000)
    }

    @Test("the time of day is of this century, and a thread is charged for what it computes")
    func otherClocks() {
        #expect((1_767_225_600_000..<4_102_444_800_000).contains(SystemClock.timeOfDay.milliseconds))
        let before = SystemClock.threadTime.nanoseconds
        var sum: UInt64 = 0
        while SystemClock.threadTime.nanoseconds - before < 1_000_000 { sum &+= 1 }
        #expect(sum > 0)
    }

    @Test("an error says what the system says of its number, and which call it was")
    func errors() {
        #expect(SystemError.reason(ENOENT) == "No such file or directory")
        #expect("\(SystemError(call: "open", errno: ENOENT))" == "No such file or directory (open)")
    }

    @Test("the ends of a pair are connected, do not block, and are closed on exec")
    func pair() throws {
        let (one, other) = try StreamSocket.pair()
        defer { close(one) }
        var byte: UInt8 = 0
        let isEmpty = unsafe read(one, &byte, 1) < 0 && errno == EAGAIN
        #expect(isEmpty)
        #expect(StreamSocket.sendAtOnce([7], to: other))
        let count = unsafe read(one, &byte, 1)
        #expect(count == 1 && byte == 7)
        for end in [one, other] {
            #expect(fcntl(end, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(end, F_GETFD) & FD_CLOEXEC != 0)
        }
        close(other)
        // Without ending the process by SIGPIPE.
        #expect(!StreamSocket.sendAtOnce([8], to: one))
    }

    @Test("what is no socket's family is refused with the call's name")
    func refusedSocket() {
        #expect(throws: SystemError(call: "socket", errno: EAFNOSUPPORT)) { try StreamSocket.make(family: 9999) }
    }
}
