import Foundation
import Platform

/// The tool's standard output and standard error.
///
/// All output is made printable here, once for all commands: a user's text cannot control the terminal or look like a
/// line of the tool's own.
enum Terminal {
    /// Writes a line to standard output, at once and whole.
    static func print(_ line: String) {
        write(line.printable + "\n", to: STDOUT_FILENO)
    }

    /// Writes JSON text to standard output, as one line that means the same.
    static func printJSON(_ text: String) {
        write(text.printableJSON + "\n", to: STDOUT_FILENO)
    }

    static func printJSON(_ json: [UInt8]) { printJSON(String(decoding: json, as: UTF8.self)) }

    /// Writes a text of several lines to standard output.
    static func printLines(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { print(String(line)) }
    }

    /// Writes a sentence to standard error, on one line.
    static func report(_ sentence: String) {
        write("parley: \(sentence)".printable + "\n", to: STDERR_FILENO)
    }

    /// Writes a text to the standard error of a terminal, in place of the row that it wrote before.
    static func redrawReport(_ text: String) { write("\r\u{1B}[2K\(text.printable)", to: STDERR_FILENO) }

    /// Leaves the row.
    static func endReport() { write("\n", to: STDERR_FILENO) }

    /// Writes a text of several lines to standard error.
    static func complain(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            write(line.description.printable + "\n", to: STDERR_FILENO)
        }
    }

    /// Writes lines with escape sequences to standard error.
    static func draw(_ lines: [String]) {
        for line in lines { write(line + "\n", to: STDERR_FILENO) }
    }

    /// Writes rows to a terminal, in place of the last `shown` rows.
    static func redraw(_ rows: [StyledText], over shown: Int) {
        let palette = Palette { Environment[$0] }
        var output = shown > 0 ? "\u{1B}[\(shown)A" : ""
        for row in rows {
            output += "\r\u{1B}[0m\u{1B}[2K"
            for piece in row.pieces {
                output += "\u{1B}[\(piece.style.parameters(palette))m" + piece.text
            }
            output += "\u{1B}[0m\n"
        }
        // The rest of a longer table.
        write(output + "\u{1B}[J", to: STDOUT_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let (count, failure) = unsafe bytes[written...].withUnsafeBufferPointer { buffer in
                (unsafe Platform.write(descriptor, buffer.baseAddress, buffer.count), errno)
            }
            if count < 0, failure == EINTR { continue }
            guard count >= 0 else { return endOutput(descriptor, failure) }
            written += count
        }
    }

    /// Nobody reads any more. The MQTT library ignores SIGPIPE, which ends any other filter: end as they do.
    private static func endOutput(_ descriptor: Int32, _ failure: Int32) {
        guard descriptor == STDOUT_FILENO else { return }
        TerminalModes.leave()
        if failure == EPIPE {
            signal(SIGPIPE, SIG_DFL)
            raise(SIGPIPE)
        }
        report("standard output: \(SystemError.reason(failure))")
        exit(Status.noAnswer.rawValue)
    }
}

extension Terminal {
    /// Ctrl-C and SIGTERM end the tool with status 0. Lines are written whole, so that none is cut off.
    static func endQuietlyWhenAsked() {
        for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(Status.accepted.rawValue) } }
    }

    /// Ends the tool when nobody reads its standard output any more, and not only when it next writes: a pipeline
    /// would wait for it until then.
    static func endQuietlyWithReader() {
        Thread.detachNewThread {
            // `poll` tells of errors unasked (`poll(2)`, POLLERR); a file has none.
            var watched = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            repeat { _ = unsafe poll(&watched, 1, -1) } while watched.revents & Int16(POLLERR) == 0
            endOutput(STDOUT_FILENO, EPIPE)
        }
    }
}

/// The process's environment.
enum Environment {
    /// `nil` also for a variable that is empty.
    static subscript(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
