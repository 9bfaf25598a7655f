import Platform
import ParleyProtocol

/// The answers to a command's questions: typed at the terminal, where standard input is one; or else the lines of
/// standard input, in the order of the questions. Nothing is read before the first question.
struct Answers {
    private enum Source {
        case unasked
        case terminal
        case lines(AsyncThrowingStream<String, any Error>.Iterator)
    }

    private var source = Source.unasked

    /// Whether a person can be asked again for what was wrong.
    var isTerminal: Bool {
        switch source {
        case .unasked: isatty(STDIN_FILENO) == 1
        case .terminal: true
        case .lines: false
        }
    }

    /// The answer to a question.
    ///
    /// - Parameter isSecret: whether what is typed is not shown.
    /// - Returns: `nil` where standard input has ended.
    mutating func next(_ question: String, isSecret: Bool = false) async throws -> String? {
        switch source {
        case .unasked:
            source =
                isatty(STDIN_FILENO) == 1 ? .terminal : .lines(StandardInput.lines().makeAsyncIterator())
            return try await next(question, isSecret: isSecret)
        case .terminal:
            let answer = try ControllingTerminal.open(hidesTyping: isSecret) { (terminal) throws(ToolError) in
                try terminal.ask(question)
            }
            guard let answer else { throw ToolError(.noAnswer, "there is no terminal to ask for \(question)") }
            return answer
        case .lines(var lines):
            let line = try await lines.next()
            source = .lines(lines)
            return line
        }
    }

    /// The answer to a question that needs one.
    mutating func required(_ question: String, isSecret: Bool = false) async throws -> String {
        guard let answer = try await next(question, isSecret: isSecret) else {
            throw ToolError(.usage, "standard input has no line for \(question)")
        }
        return answer
    }

    /// A new secret, which is typed twice at a terminal.
    mutating func newSecret(_ question: String) async throws -> String {
        let text = try await required(question, isSecret: true)
        guard isTerminal else { return text }
        guard try await required("the same once more", isSecret: true) == text else {
            throw ToolError(.usage, "the two are not the same; nothing was changed")
        }
        return text
    }
}
