import ParleyClient
import ParleyProtocol

/// Consecutive messages that were sent before this device was linked: shown in one line.
struct EarlierMessages: Hashable {
    private var messages = 0
    /// Edits, deletions and reactions among them.
    private var changes = 0
    /// When the newest was sent.
    private(set) var newest: Timestamp?

    mutating func add(_ message: ChatMessage) {
        add(isChange: message.kind != .known(.message), at: message.createdAt)
    }

    mutating func add(isChange: Bool, at time: Timestamp) {
        if isChange { changes += 1 } else { messages += 1 }
        newest = time
    }

    /// For people. Changes are not counted beside messages.
    var sentence: String {
        let count = messages > 0 ? messages : changes
        let what = messages > 0 ? "message" : "change"
        return count == 1
            ? "1 earlier \(what) was sent before this device had keys; only devices that had theirs then can open it"
            : "\(count) earlier \(what)s were sent before this device had keys; only devices that had theirs then can open them"
    }
}
