import Synchronization

@testable import ParleyStore

/// Hears every statement that a store runs.
final class StatementRecorder: Sendable {
    private let heard = Mutex<Set<String>>([])

    func record(_ sql: String) { heard.withLock { _ = $0.insert(sql.onOneLine) } }

    /// Forgets what was heard: the migrations of a store that was opened.
    func forget() { heard.withLock { $0.removeAll() } }

    /// The statements, each once, in an order that does not change.
    var statements: [String] { heard.withLock { $0.sorted() } }
}

extension String {
    /// With one space where there were any, or the ends of lines.
    var onOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
