import Platform

/// The terminal that the tool was started from, while a person is asked at it.
///
/// It is found also where standard input is something else (`/dev/tty`, `tty(4)`).
struct ControllingTerminal {
    private let descriptor: Int32
    private let hidesTyping: Bool
    /// In bytes.
    private static let longestLine = 4096

    /// Runs `body` with the terminal. However it ends, by Ctrl-C too, the terminal is as it was before.
    ///
    /// - Parameter hidesTyping: whether nothing that is typed is shown, for what nobody is to see.
    /// - Returns: what `body` returns; `nil` if there is no terminal.
    static func open<Value>(
        hidesTyping: Bool = true, _ body: (ControllingTerminal) throws(ToolError) -> Value
    ) throws(ToolError) -> Value? {
        let descriptor = unsafe Platform.open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let terminal = ControllingTerminal(descriptor: descriptor, hidesTyping: hidesTyping)
        guard hidesTyping else { return try body(terminal) }
        let handlers = TerminalSignals.endAtOnce()
        defer { handlers.restore() }
        try TerminalModes.hideTyping(on: descriptor)
        defer { TerminalModes.leave() }
        return try body(terminal)
    }

    /// Puts a question and takes the line that is typed.
    func ask(_ question: String) throws(ToolError) -> String {
        show("parley: \(question.printable): ")
        // Enter is not shown either, where typing is hidden.
        defer { if hidesTyping { show("\n") } }
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            guard let bytes = StandardInput.readAvailable(descriptor) else { continue }
            guard !bytes.isEmpty else { throw ToolError(.usage, "nothing was typed") }
            line += bytes
            guard line.count <= ControllingTerminal.longestLine else {
                throw ToolError(.usage, "the line is too long")
            }
        }
        guard let text = String(validating: line.dropLast(), as: UTF8.self) else {
            throw ToolError(.usage, "what was typed is not UTF-8")
        }
        return text
    }

    private func show(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(descriptor, bytes, bytes.count)
    }
}
