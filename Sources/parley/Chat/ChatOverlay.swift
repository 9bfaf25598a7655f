import ParleyClient
import ParleyProtocol

/// What has the place of the talk until a key puts it away.
enum ChatOverlay: Hashable, Sendable {
    /// A text, such as the manual.
    case text(ChatPage)
    /// The list of conversations, to choose one.
    case switcher(ChatSwitcher)
}

/// A text that is scrolled by the arrow keys.
struct ChatPage: Hashable, Sendable {
    let title: String
    let lines: [String]
    /// The first row that is shown.
    private(set) var top = 0

    init(_ title: String, _ lines: [String]) { (self.title, self.lines) = (title, lines) }

    /// - Parameter height: how many rows are shown at once.
    mutating func scroll(by rows: Int, of count: Int, height: Int) {
        top = min(max(top + rows, 0), max(count - height, 0))
    }

    func rows(columns: Int) -> [StyledText] {
        [StyledText(title, .bold), StyledText()]
            + lines.flatMap(\.printableLines).flatMap { $0.wrapped(toColumns: columns) }.map { StyledText($0) }
    }
}

/// The choice of a conversation: by its place, or by letters of its name.
struct ChatSwitcher: Hashable, Sendable {
    private(set) var filter = ""
    private(set) var selected = 0

    func entries(of list: ChatList) -> [ChatEntry] {
        guard !filter.isEmpty else { return list.entries }
        let words = filter.lowercased()
        return list.entries.filter { $0.title.lowercased().contains(words) || $0.id.description.hasPrefix(words) }
    }

    func chosen(of list: ChatList) -> ChatEntry? {
        let entries = entries(of: list)
        return entries.indices.contains(selected) ? entries[selected] : entries.last
    }

    mutating func write(_ text: String) {
        filter = String((filter + text.filter { !$0.isNewline }).prefix(Limits.nameCharacters))
        selected = 0
    }

    mutating func deleteLast() {
        _ = filter.popLast()
        selected = 0
    }

    mutating func move(by step: Int, of list: ChatList) {
        selected = min(max(selected + step, 0), max(entries(of: list).count - 1, 0))
    }

    func rows(of list: ChatList, current: ConversationID?, columns: Int) -> [StyledText] {
        let entries = entries(of: list)
        guard !entries.isEmpty else {
            let sentence =
                list.entries.isEmpty ? "There is no conversation yet. /new NAME begins one." : "None is called that."
            return [StyledText("  \(sentence)", .faint)]
        }
        return entries.enumerated().map { index, entry in
            let row = entry.row(number: index + 1, isCurrent: entry.id == current, columns: columns)
            return index == min(selected, entries.count - 1) ? row.restyled(.reversed) : row
        }
    }
}

extension ChatEntry {
    /// The row of a list: its number, its name, and what is unread.
    func row(number: Int, isCurrent: Bool, columns: Int) -> StyledText {
        let head = "\(isCurrent ? ">" : " ")\(number > 9 ? " " : "\(number)") "
        let tail = unread > 0 ? " \(unreadText)" : isMember ? "" : " left"
        let room = max(columns - head.columns - tail.columns, 1)
        let shown = title.printable
        let name = shown.columns > room ? shown.prefix(columns: max(room - 1, 0)) + "…" : shown
        let style: Style = unread > 0 && !isMuted ? .bold : isMember ? .plain : .faint
        return StyledText(head, .faint) + StyledText(name.padded(toColumns: room), style)
            + StyledText(tail, unread > 0 && !isMuted ? .good : .faint)
    }
}

extension StyledText {
    /// The same text in one style.
    func restyled(_ style: Style) -> StyledText { StyledText(text, style) }
}
