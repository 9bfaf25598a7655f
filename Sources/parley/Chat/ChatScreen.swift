import ParleyProtocol

/// Draws a chat: the transcript, below it what happens elsewhere and a status bar, and last the line that is written.
/// On a wide terminal the list of conversations stands beside the transcript.
struct ChatScreen {
    private let zone: TimeZone
    private let palette: Palette
    private var shown: Frame?
    private var layout: (key: LayoutKey, rows: [TranscriptRow])?

    private struct LayoutKey: Hashable {
        let version: Int
        let place: ChatPlace
        let columns: Int
        let marks: TranscriptMarks
        let isLoading: Bool
    }

    private static let prompt = "> "

    init(zone: TimeZone, palette: Palette = .colored) {
        self.zone = zone
        self.palette = palette
    }

    /// Forgets the drawn frame, so that the next is drawn whole.
    mutating func forget() { shown = nil }

    /// The bytes that show the state on a terminal.
    mutating func draw(_ state: inout ChatState, size: TerminalSize) -> [UInt8] {
        let frame = frame(&state, size: size)
        defer { shown = frame }
        return frame.bytes(after: shown, palette)
    }

    mutating func frame(_ state: inout ChatState, size: TerminalSize) -> Frame {
        let panes = ChatPanes(state, size)
        state.pageRows = panes.height
        let isAtEnd: Bool
        var texts: [StyledText]
        if let overlay = state.overlay {
            texts = panes.overlayRows(overlay, &state)
            isAtEnd = true
        } else {
            (texts, isAtEnd) = talk(&state, panes)
        }
        if let list = panes.listRows(state) { texts = zip(list, texts).map { $0 + $1 } }
        if panes.hasElsewhere, let line = state.list.elsewhere(than: state.place.id) {
            texts.append(StyledText(" \(line)", .bold).prefix(columns: size.columns))
        }
        if size.rows > 1 { texts.append(state.bar(columns: size.columns, isAtEnd: isAtEnd, zone: zone)) }
        let room = max(size.columns - ChatScreen.prompt.count, 1)
        let line = state.overlay.written ?? state.editor.visible(columns: room)
        texts.append(StyledText(ChatScreen.prompt, .bold) + StyledText(line.text))
        let cursor = Frame.Position(row: size.rows - 1, column: ChatScreen.prompt.count + line.cursor)
        return Frame(size: size, rows: texts, cursor: cursor)
    }

    /// The rows of the transcript that are on the screen, which count as seen.
    private mutating func talk(_ state: inout ChatState, _ panes: ChatPanes) -> ([StyledText], isAtEnd: Bool) {
        let (height, rows) = (panes.height, rows(of: state, columns: panes.columns))
        moveToMark(&state, rows, height: height)
        // What comes below fills a screen that has become higher.
        let end = max(bottom(of: rows, state.anchor), min(height, rows.count))
        if end == rows.count { state.anchor = nil }
        let start = max(0, end - height)
        // A message is seen once its last row is.
        state.reading.see(
            rows.indices[start..<end].lazy.compactMap { index in
                let isLast = index + 1 == rows.endIndex || rows[index + 1].item != rows[index].item
                guard isLast, case .message(let key) = rows[index].item else { return nil }
                return key
            })
        if end == rows.count { state.unseen = 0 }
        let texts = rows[start..<end].map(\.text)
        return (Array(repeating: StyledText(), count: height - texts.count) + texts, end == rows.count)
    }

    /// Brings the first unread message to the top, or the selected one onto the screen, if that was asked for.
    private func moveToMark(_ state: inout ChatState, _ rows: [TranscriptRow], height: Int) {
        guard height > 0 else { return }
        if state.wantsUnreadOnTop, let key = state.reading.firstUnread,
            let row = rows.firstIndex(where: { $0.item == .message(key) })
        {
            state.wantsUnreadOnTop = false
            state.anchor = row + height < rows.count ? anchor(at: row + height, rows) : nil
        }
        guard state.wantsSelectionShown, let key = state.selection else { return }
        state.wantsSelectionShown = false
        guard let first = rows.firstIndex(where: { $0.item == .message(key) }) else { return }
        let last = rows.lastIndex { $0.item == .message(key) } ?? first
        let end = bottom(of: rows, state.anchor)
        if last >= end {
            state.anchor = last + 1 < rows.count ? anchor(at: last + 1, rows) : nil
        } else if first < end - height {
            state.anchor = first + height < rows.count ? anchor(at: first + height, rows) : nil
        }
    }

    /// Scrolls by a page.
    ///
    /// - Returns: whether it could move no further up, because there is no more.
    mutating func scroll(_ state: inout ChatState, up: Bool, size: TerminalSize) -> Bool {
        let panes = ChatPanes(state, size)
        let rows = rows(of: state, columns: panes.columns)
        let height = max(panes.height, 1)
        let page = max(height - 1, 1)
        let end = bottom(of: rows, state.anchor)
        let target = up ? max(end - page, min(height, rows.count)) : end + page
        guard target < rows.count else {
            state.anchor = nil
            state.unseen = 0
            return up
        }
        state.anchor = anchor(at: target, rows)
        return up && target <= height
    }

    // MARK: Rows

    private mutating func rows(of state: ChatState, columns: Int) -> [TranscriptRow] {
        let marks = TranscriptMarks(
            firstUnread: state.reading.firstUnread, selection: state.selection, showsNumbers: state.showsNumbers)
        let key = LayoutKey(
            version: state.transcript.version, place: state.place, columns: columns, marks: marks,
            isLoading: state.isLoading)
        if let layout, layout.key == key { return layout.rows }
        let shown = state.isLoading ? state.transcript.withoutMessages : state.transcript
        let rows = TranscriptLayout(me: state.me.user, columns: columns, zone: zone, marks: marks).rows(of: shown)
        layout = (key, rows)
        return rows
    }

    /// Behind which row the screen ends.
    private func bottom(of rows: [TranscriptRow], _ anchor: ChatState.Anchor?) -> Int {
        guard let anchor, let first = rows.firstIndex(where: { $0.item == anchor.item }) else { return rows.count }
        let count = rows[first...].prefix { $0.item == anchor.item }.count
        return first + min(anchor.part, count - 1) + 1
    }

    private func anchor(at end: Int, _ rows: [TranscriptRow]) -> ChatState.Anchor? {
        guard end > 0, let row = rows[..<end].last, let first = rows.firstIndex(where: { $0.item == row.item }) else {
            return nil
        }
        return ChatState.Anchor(item: row.item, part: end - 1 - first)
    }
}

extension ChatState {
    /// Whether the line that is written is a command that takes the number of a message.
    fileprivate var showsNumbers: Bool {
        let text = editor.text
        guard text.count > 2 else { return false }
        return ["/reply", "/edit", "/delete", "/react"].contains { text.hasPrefix($0) || $0.hasPrefix(text) }
    }
}
