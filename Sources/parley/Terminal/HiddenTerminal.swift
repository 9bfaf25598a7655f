import Platform

/// The terminal that the tool was started from, while it takes what nobody is to see: nothing that is typed is shown.
///
/// It is found also where standard input is something else (`/dev/tty`, `tty(4)`). However it ends, by Ctrl-C too, the
/// terminal is as it was before.
struct HiddenTerminal {
    private let descriptor: Int32
    /// In bytes.
    private static let longestLine = 4096

    /// Runs `body` with the terminal.
    ///
    /// - Returns: what `body` returns; `nil` if there is no terminal.
    static func open<Value>(_ body: (HiddenTerminal) throws(ToolError) -> Value) throws(ToolError) -> Value? {
        let descriptor = unsafe Platform.open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let handlers = TerminalSignals.endAtOnce()
        defer { handlers.restore() }
        try TerminalModes.hideTyping(on: descriptor)
        defer { TerminalModes.leave() }
        return try body(HiddenTerminal(descriptor: descriptor))
    }

    /// Puts a question and takes the line that is typed.
    func ask(_ question: String) throws(ToolError) -> String {
        show("parley: \(question): ")
        // Enter is not shown either.
        defer { show("\n") }
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            guard let bytes = StandardInput.readAvailable(descriptor) else { continue }
            guard !bytes.isEmpty else { throw ToolError(.usage, "nothing was typed") }
            line += bytes
            guard line.count <= HiddenTerminal.longestLine else { throw ToolError(.usage, "the line is too long") }
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
