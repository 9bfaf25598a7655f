import Platform
import Synchronization

/// How the terminal is set while a program draws on it, and how it was before.
///
/// There is one for the process, so that a signal's handler can restore everything. `leave` is safe in a handler
/// (`signal-safety(7)`): no allocation, no lock.
enum TerminalModes {
    /// What `leave` puts back; written before `isEntered` is set, and not while it is.
    nonisolated(unsafe) private static var saved = termios()
    private static let isEntered = Atomic<Bool>(false)
    /// Whether the second screen is shown.
    private static let isDrawing = Atomic<Bool>(false)
    private static let input = Atomic<Int32>(STDIN_FILENO)
    private static let output = Atomic<Int32>(STDOUT_FILENO)

    /// The second screen, so that what was on the first comes back; pastes marked as such; no wrapping by the terminal.
    private static let entering: StaticString = "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?7l"
    private static let leaving: StaticString = "\u{1B}[0m\u{1B}[?7h\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l"

    /// `tcgetattr`, `cfmakeraw`, `tcsetattr`: each key comes at once, and none is echoed or taken for a signal.
    static func enter(input: Int32, output: Int32) throws(ToolError) {
        try set(input, TCSADRAIN) { settings in unsafe cfmakeraw(&settings) }
        self.output.store(output, ordering: .relaxed)
        isDrawing.store(true, ordering: .sequentiallyConsistent)
        write(entering)
    }

    /// `tcsetattr` without `ECHO`: what is typed is not shown. What was typed before is dropped. Nor does Ctrl-Z stop
    /// the program (`VSUSP`, 0 for none): a shell that goes on may show again what is typed.
    static func hideTyping(on terminal: Int32) throws(ToolError) {
        isDrawing.store(false, ordering: .sequentiallyConsistent)
        try set(terminal, TCSAFLUSH) { settings in
            settings.c_lflag &= ~tcflag_t(ECHO)
            unsafe withUnsafeMutableBytes(of: &settings.c_cc) { unsafe $0[Int(VSUSP)] = 0 }
        }
    }

    private static func set(_ input: Int32, _ action: Int32, _ change: (inout termios) -> Void) throws(ToolError) {
        var settings = termios()
        guard unsafe tcgetattr(input, &settings) == 0 else {
            throw ToolError(.noAnswer, "standard input is no terminal: \(SystemError.reason(errno))")
        }
        unsafe saved = settings
        change(&settings)
        // A signal between the two statements puts back what is there already.
        self.input.store(input, ordering: .relaxed)
        isEntered.store(true, ordering: .sequentiallyConsistent)
        guard unsafe tcsetattr(input, action, &settings) == 0 else {
            let reason = SystemError.reason(errno)
            isEntered.store(false, ordering: .sequentiallyConsistent)
            throw ToolError(.noAnswer, "the terminal cannot be set: \(reason)")
        }
    }

    /// `write`, `tcsetattr`: everything as it was. Does nothing where it is so already.
    static func leave() {
        guard isEntered.exchange(false, ordering: .sequentiallyConsistent) else { return }
        if isDrawing.exchange(false, ordering: .sequentiallyConsistent) { write(leaving) }
        unsafe tcsetattr(input.load(ordering: .relaxed), TCSANOW, &saved)
    }

    private static func write(_ sequence: StaticString) {
        _ = unsafe Platform.write(output.load(ordering: .relaxed), sequence.utf8Start, sequence.utf8CodeUnitCount)
    }
}
