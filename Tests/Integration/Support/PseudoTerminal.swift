import Launch
import Glibc
import Synchronization
import TestSupport

/// A terminal of a test's own, in which a program runs as in a person's window: what is typed goes in, what it draws
/// can be seen.
final class PseudoTerminal: Sendable {
    /// The terminal's end of it, for the test.
    private let master: Int32
    /// The program's end, kept open so that its settings can be looked at when the program has ended.
    private let slave: Int32
    let path: String
    private let screen: Mutex<TerminalScreen>
    /// What it answers to the question for its attributes; nothing if `nil`.
    private let attributes: String?
    /// In pixels, where it says.
    private let cell: (width: Int, height: Int)?

    /// `TIOCSPTLCK` and `TIOCGPTN` of `ioctl_tty(2)`, which are no constants to Swift.
    private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    init(
        columns: Int = 80, rows: Int = 24, attributes: String? = nil, cell: (width: Int, height: Int)? = nil
    ) throws {
        (self.attributes, self.cell) = (attributes, cell)
        master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        var (isLocked, number) = (Int32(0), Int32(-1))
        guard master >= 0, unsafe ioctl(master, PseudoTerminal.setLock, &isLocked) == 0,
            unsafe ioctl(master, PseudoTerminal.getNumber, &number) == 0
        else { throw SystemCallError("/dev/ptmx", errno) }
        path = "/dev/pts/\(number)"
        slave = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw SystemCallError("open", errno) }
        screen = Mutex(TerminalScreen(columns: columns, rows: rows))
        resize(columns: columns, rows: rows)
    }

    deinit {
        close(master)
        close(slave)
    }

    /// Starts a program in it, as the leader of a session that this terminal controls.
    ///
    /// - Parameter environment: variables beside those of this process, such as `TERM=xterm-kitty`.
    func start(
        _ program: String, _ arguments: [String], environment: [String] = [], directory: String
    ) throws -> ChildProcess {
        let script = #"exec setsid --ctty env "$@" <"$0" >"$0" 2>&1"#
        return try ChildProcess(
            "/bin/bash", ["-c", script, path] + environment + [program] + arguments, directory: directory,
            output: "/dev/null",
            errors: "/dev/null")
    }

    func type(_ text: String) {
        var bytes = Array(text.utf8)
        while !bytes.isEmpty {
            let count = unsafe write(master, bytes, bytes.count)
            if count > 0 { bytes.removeFirst(count) } else { usleep(1_000) }
        }
    }

    /// Makes it another size, which the program is told.
    func resize(columns: Int, rows: Int) {
        var size = winsize(
            ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: UInt16(columns * (cell?.width ?? 0)),
            ws_ypixel: UInt16(rows * (cell?.height ?? 0)))
        screen.withLock { $0.resize(columns: columns, rows: rows) }
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    var shown: TerminalScreen {
        let (shown, questions) = screen.withLock { screen in
            let asked = screen.questions
            while true {
                let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                    count = max(0, unsafe read(master, buffer.baseAddress, buffer.count))
                }
                if bytes.isEmpty { return (screen, screen.questions - asked) }
                screen.show(bytes)
            }
        }
        if let attributes { for _ in 0..<questions { type("\u{1B}[?\(attributes)c") } }
        return shown
    }

    /// How it echoes, takes lines and makes signals (`tcgetattr`).
    var settings: [UInt32] {
        var settings = termios()
        unsafe tcgetattr(slave, &settings)
        return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
    }

    /// Waits until a row holds a text.
    @discardableResult
    func awaitRow(_ what: String, containing text: String...) throws -> String {
        try eventually("\(what): \(text); the terminal shows:\n\(shown.text)") {
            shown.rows.first { row in text.allSatisfy { row.contains($0) } }
        }
    }
}

struct SystemCallError: Error {
    let call: String
    let errno: Int32

    init(_ call: String, _ errno: Int32) {
        self.call = call
        self.errno = errno
    }
}
