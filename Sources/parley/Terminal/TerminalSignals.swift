import Platform
import Synchronization

/// The signals that concern a program that draws on a terminal, handed on through a pipe.
enum TerminalSignals {
    /// The pipe's ends, made once and kept: a handler may run at any time.
    private static let readEnd = Atomic<Int32>(-1)
    private static let writeEnd = Atomic<Int32>(-1)
    /// Whether one that asks for the end has come already.
    private static let wasAsked = Atomic<Bool>(false)

    static let asking = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    private static let resizing = [SIGWINCH]
    /// Fatal signals; Swift's own traps are among them.
    private static let crashing = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    /// What can be read from the pipe beside signals: that nobody wants them any more.
    static let stop: UInt8 = 0

    /// Where the numbers of signals are read, one byte each.
    static func descriptor() throws(ToolError) -> Int32 {
        let existing = readEnd.load(ordering: .relaxed)
        guard existing < 0 else { return existing }
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw ToolError(.noAnswer, "no pipe: \(SystemError.reason(errno))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        readEnd.store(ends[0], ordering: .relaxed)
        writeEnd.store(ends[1], ordering: .relaxed)
        return ends[0]
    }

    static func post(_ byte: UInt8) {
        var byte = byte
        _ = unsafe write(writeEnd.load(ordering: .relaxed), &byte, 1)
    }

    /// Installs handlers.
    ///
    /// - Returns: the former handlers, to be restored.
    static func handle() -> SignalHandlers {
        wasAsked.store(false, ordering: .relaxed)
        var handlers = SignalHandlers()
        for number in resizing { handlers.set(number) { TerminalSignals.post(UInt8(truncatingIfNeeded: $0)) } }
        for number in asking { handlers.set(number) { TerminalSignals.asked($0) } }
        for number in crashing { handlers.set(number) { TerminalSignals.end($0) } }
        return handlers
    }

    /// Lets signals that ask for the end, end the program at once, with the terminal restored.
    ///
    /// - Returns: the former handlers, to be restored.
    static func endAtOnce() -> SignalHandlers {
        var handlers = SignalHandlers()
        for number in asking + crashing { handlers.set(number) { TerminalSignals.end($0) } }
        return handlers
    }

    /// Asked twice, the program does not get to its end by itself.
    private static func asked(_ number: Int32) {
        if wasAsked.exchange(true, ordering: .relaxed) {
            end(number)
        } else {
            post(UInt8(truncatingIfNeeded: number))
        }
    }

    /// Ends the process by the signal, with the terminal as it was.
    private static func end(_ number: Int32) {
        TerminalModes.leave()
        signal(number, SIG_DFL)
        raise(number)
    }
}

/// Handlers that were set, and those that they stand in for (`sigaction`).
struct SignalHandlers {
    private var previous: [(number: Int32, action: sigaction)] = []

    mutating func set(_ number: Int32, _ handler: @convention(c) (Int32) -> Void) {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = handler
        action.sa_flags = SA_RESTART
        var old = sigaction()
        if unsafe sigaction(number, &action, &old) == 0 { previous.append((number, old)) }
    }

    func restore() {
        for (number, action) in previous {
            var action = action
            unsafe sigaction(number, &action, nil)
        }
    }
}
