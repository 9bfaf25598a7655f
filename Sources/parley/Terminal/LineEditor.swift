/// The line that a person writes: its text, the cursor, and the lines written before.
struct LineEditor {
    private var characters: [Character] = []
    /// The index of the character behind the cursor.
    private var cursor = 0
    private var deleted = ""
    private var past = PastLines()

    /// The effect of a key beyond the line.
    enum Outcome: Hashable {
        /// The line is as it was, or was changed.
        case edited
        case submitted(String)
        /// It would be longer than a message can be, and is as it was.
        case tooLong
        case scroll(up: Bool)
        /// Ctrl-D on an empty line.
        case end
        /// Ctrl-C on an empty line; on another it empties the line.
        case interrupt
        case redraw
        case beyond(Key.Beyond)
    }

    /// In bytes of UTF-8: fits into a sealed message with its JSON.
    static let longestText = 32 * 1024

    var text: String { String(characters) }

    mutating func apply(_ key: Key) -> Outcome {
        switch key {
        case .text(let text): return insert(text.filter { !$0.isControl })
        case .paste(let text): return insert(text.unixLines.filter { $0 == "\n" || $0 == "\t" || !$0.isControl })
        case .newLine: return insert("\n")
        case .enter: return submit()
        case .backspace: delete(from: cursor - 1, to: cursor, keeping: false)
        case .delete: delete(from: cursor, to: cursor + 1, keeping: false)
        case .deleteWord: delete(from: wordStart, to: cursor, keeping: true)
        case .deleteToStart: delete(from: 0, to: cursor, keeping: true)
        case .deleteToEnd: delete(from: cursor, to: characters.count, keeping: true)
        case .restore: return insert(deleted)
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(characters.count, cursor + 1)
        case .wordLeft: cursor = wordStart
        case .wordRight: cursor = wordEnd
        case .home: cursor = 0
        case .end: cursor = characters.count
        case .up: show(past.older(than: text))
        case .down: show(past.newer())
        case .pageUp: return .scroll(up: true)
        case .pageDown: return .scroll(up: false)
        case .interrupt:
            if characters.isEmpty { return .interrupt }
            delete(from: 0, to: characters.count, keeping: true)
        case .endOfInput:
            if characters.isEmpty { return .end }
            delete(from: cursor, to: cursor + 1, keeping: false)
        case .redraw: return .redraw
        case .beyond(let key): return .beyond(key)
        case .attributes: break
        }
        return .edited
    }

    // MARK: Changes

    /// The line is cut into characters anew: a mark that is typed belongs to the letter before it.
    private mutating func insert(_ text: String) -> Outcome {
        let head = String(characters[..<cursor]) + text
        let line = head + String(characters[cursor...])
        guard line.utf8.count <= LineEditor.longestText else { return .tooLong }
        characters = Array(line)
        cursor = min(head.count, characters.count)
        return .edited
    }

    private mutating func delete(from start: Int, to end: Int, keeping: Bool) {
        let range = max(0, start)..<min(characters.count, end)
        guard !range.isEmpty else { return }
        if keeping { deleted = String(characters[range]) }
        characters.removeSubrange(range)
        cursor = range.lowerBound
    }

    private mutating func submit() -> Outcome {
        let line = text
        show("")
        past.add(line)
        return .submitted(line)
    }

    /// Puts another line in the place of what was written.
    mutating func replace(with line: String) {
        show(line)
    }

    private mutating func show(_ line: String?) {
        guard let line else { return }
        characters = Array(line)
        cursor = characters.count
    }

    // MARK: Words

    private var wordStart: Int {
        var index = cursor
        while index > 0, characters[index - 1].isWhitespace { index -= 1 }
        while index > 0, !characters[index - 1].isWhitespace { index -= 1 }
        return index
    }

    private var wordEnd: Int {
        var index = cursor
        while index < characters.count, characters[index].isWhitespace { index += 1 }
        while index < characters.count, !characters[index].isWhitespace { index += 1 }
        return index
    }
}

// MARK: The visible part

extension LineEditor {
    /// The part of the line around the cursor that fits into so many columns, and the cursor's column in it.
    ///
    /// Line ends and tabs show as signs of one column.
    func visible(columns: Int) -> (text: String, cursor: Int) {
        let room = max(columns - 1, 1)
        var start = cursor
        var before = 0
        while start > 0, before + characters[start - 1].shown.columns <= room {
            start -= 1
            before += characters[start].shown.columns
        }
        let text = characters[start...].reduce(into: "") { $0.append($1.shown) }
        return (text.prefix(columns: max(columns, 1)), before)
    }
}

extension Character {
    fileprivate var isControl: Bool {
        unicodeScalars.first.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) } ?? true
    }

    fileprivate var shown: Character {
        switch self {
        case "\n": "↵"
        case "\t": "⇥"
        default: self
        }
    }
}

extension String {
    /// With LF for each kind of line end.
    fileprivate var unixLines: String {
        String(map { $0 == "\r\n" || $0 == "\r" ? "\n" : $0 })
    }
}

/// The history of submitted lines.
struct PastLines {
    private var lines: [String] = []
    /// The line that is shown; `lines.count` for the draft.
    private var position = 0
    /// The unfinished line while an older one is shown.
    private var draft = ""

    private static let capacity = 200

    mutating func add(_ line: String) {
        if !line.isEmpty, line != lines.last { lines.append(line) }
        if lines.count > PastLines.capacity { lines.removeFirst() }
        position = lines.count
        draft = ""
    }

    mutating func older(than current: String) -> String? {
        guard position > 0 else { return nil }
        if position == lines.count { draft = current }
        position -= 1
        return lines[position]
    }

    mutating func newer() -> String? {
        guard position < lines.count else { return nil }
        position += 1
        return position == lines.count ? draft : lines[position]
    }
}
