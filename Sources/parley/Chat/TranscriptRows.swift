import ParleyProtocol

/// A row of the transcript, and its item.
struct TranscriptRow: Hashable {
    let item: Transcript.Identity
    let text: StyledText
}

/// The layout of a transcript in rows.
struct TranscriptLayout {
    let me: UserID
    let columns: Int
    let zone: TimeZone
    var marks = TranscriptMarks()

    /// A text narrower than this stands below the name, not beside it.
    private static let narrowest = 24
    private static let longestName = 16
    /// Stands before the first message that was not read yet.
    static let newMark = "--- new ---"

    func rows(of transcript: Transcript) -> [TranscriptRow] {
        var rows: [TranscriptRow] = []
        var day: String?
        let names = nameColumns(transcript)
        let lastRead = transcript.lastRead
        for (index, item) in transcript.items.enumerated() {
            switch item {
            case .message(let line) where line.look == .earlier: rows += earlier(upTo: index, in: transcript)
            case .message(let line):
                let time = zone.civil(line.time)
                if time.day != day { rows.append(TranscriptRow(item: item.identity, text: dayRow(time.day))) }
                day = time.day
                if line.key == marks.firstUnread {
                    rows.append(TranscriptRow(item: item.identity, text: StyledText(TranscriptLayout.newMark, .good)))
                }
                let stamp = marks.showsNumbers ? line.numberText ?? time.time : time.time
                let texts = message(line, stamp, names, line.key == lastRead, transcript.fileNumber(of: line))
                rows += texts.map { text in
                    let isSelected = line.key == marks.selection
                    return TranscriptRow(item: item.identity, text: isSelected ? text.restyled(.reversed) : text)
                }
            case .notice(_, let text, let style):
                for line in text.printableLines {
                    rows += line.wrapped(toColumns: max(columns - 2, 1)).map {
                        TranscriptRow(item: item.identity, text: StyledText("  " + $0, style))
                    }
                }
            }
        }
        return rows
    }

    /// One line for messages in a row that were sent before this device was linked, in the place of the last.
    private func earlier(upTo last: Int, in transcript: Transcript) -> [TranscriptRow] {
        guard transcript.items.dropFirst(last + 1).first?.line?.look != .earlier else { return [] }
        var run = EarlierMessages()
        for item in transcript.items[...last].reversed() {
            guard let line = item.line, line.look == .earlier else { break }
            run.add(isChange: false, at: line.time)
        }
        return run.sentence.wrapped(toColumns: max(columns - 2, 1)).map {
            TranscriptRow(item: transcript.items[last].identity, text: StyledText("  " + $0, .faint))
        }
    }

    private func nameColumns(_ transcript: Transcript) -> Int {
        let authors = Set(transcript.items.compactMap { $0.line?.author } + [me])
        return min(authors.map(\.text.count).max() ?? 0, TranscriptLayout.longestName)
    }

    private func dayRow(_ day: String) -> StyledText {
        let side = String(repeating: "─", count: max(0, (min(columns, 80) - day.count - 2) / 2))
        return StyledText("\(side) \(day) \(side)", .faint)
    }

    private func message(_ line: ChatLine, _ time: String, _ names: Int, _ isLastRead: Bool, _ fileNumber: Int?)
        -> [StyledText]
    {
        var head = StyledText("\(time) ", .faint)
        let name = line.author.text
        let shortName = name.count > names ? name.prefix(names - 1) + "…" : Substring(name)
        head.append(String(shortName).padded(to: names), line.author == me ? .ownName : .name)
        head.append("  ")
        let mark = line.mark(isLastRead: isLastRead)
        let room = columns - head.columns
        let isNarrow = room < TranscriptLayout.narrowest
        let width = max((isNarrow ? columns : room) - (mark.map { $0.columns + 1 } ?? 0), 1)
        let style: Style = line.look == .unreadable || line.look == .system ? .faint : .plain
        let quote = line.quote.map { "│ \($0.printable)".prefix(columns: width) }.map { StyledText($0, .faint) }
        var texts = line.text.printableLines.flatMap { $0.wrapped(toColumns: width) }.map { StyledText($0, style) }
        if let mark, let last = texts.popLast() { texts.append(last + StyledText(" ") + mark) }
        let notes = [fileNumber.map { "/open \($0), /save \($0)" }, line.notes].compactMap { $0 }
        texts += notes.joined(separator: " · ").printableLines.filter { !$0.isEmpty }.flatMap {
            $0.wrapped(toColumns: width)
        }.map { StyledText($0, .faint) }
        if let quote { texts.insert(quote, at: 0) }
        if isNarrow { return [head] + texts }
        let indent = StyledText(String(repeating: " ", count: head.columns))
        return texts.enumerated().map { index, text in (index == 0 ? head : indent) + text }
    }
}

/// What a layout shows beside the messages themselves.
struct TranscriptMarks: Hashable {
    /// The mark of what is new stands before it.
    var firstUnread: ChatLine.Key?
    var selection: ChatLine.Key?
    /// Whether messages have their numbers in the place of their times.
    var showsNumbers = false
}

extension ChatLine {
    fileprivate var numberText: String? { number.map { "#\($0)".padded(to: 5) } }

    fileprivate func mark(isLastRead: Bool) -> StyledText? {
        guard case .own(let progress) = look else { return nil }
        return StyledText(isLastRead ? "\(progress.mark) read" : progress.mark, progress.style)
    }
}

extension Transcript {
    /// The newest own message that was read: marked by a word, as not everybody sees colours.
    fileprivate var lastRead: ChatLine.Key? { items.last { $0.line?.look == .own(.read) }?.line?.key }
}
