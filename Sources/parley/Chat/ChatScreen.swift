import ParleyProtocol

/// Draws a chat: the transcript, below it a status bar, and last the line that is written.
struct ChatScreen {
    private let zone: TimeZone
    private var shown: Frame?
    private var layout: (version: Int, columns: Int, rows: [TranscriptRow])?

    private static let prompt = "> "

    init(zone: TimeZone) {
        self.zone = zone
    }

    /// Forgets the drawn frame, so that the next is drawn whole.
    mutating func forget() {
        shown = nil
    }

    /// The bytes that show the state on a terminal.
    mutating func draw(_ state: inout ChatState, size: TerminalSize) -> [UInt8] {
        let frame = frame(&state, size: size)
        defer { shown = frame }
        return frame.bytes(after: shown)
    }

    mutating func frame(_ state: inout ChatState, size: TerminalSize) -> Frame {
        let height = max(size.rows - 2, 0)
        state.pageRows = height
        let rows = rows(of: state, columns: size.columns)
        let end = bottom(of: rows, state.anchor)
        let start = max(0, end - height)
        var texts = rows[start..<end].map(\.text)
        texts = Array(repeating: StyledText(), count: height - texts.count) + texts
        if size.rows > 1 { texts.append(bar(state, columns: size.columns, isAtEnd: end == rows.count)) }
        let line = state.editor.visible(columns: max(size.columns - ChatScreen.prompt.count, 1))
        texts.append(StyledText(ChatScreen.prompt, .bold) + StyledText(line.text))
        let cursor = Frame.Position(row: size.rows - 1, column: ChatScreen.prompt.count + line.cursor)
        return Frame(size: size, rows: texts, cursor: cursor)
    }

    /// Scrolls by a page.
    ///
    /// - Returns: whether it could move no further up, because there is no more.
    mutating func scroll(_ state: inout ChatState, up: Bool, size: TerminalSize) -> Bool {
        let rows = rows(of: state, columns: size.columns)
        let height = max(size.rows - 2, 1)
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
        if let layout, layout.version == state.transcript.version, layout.columns == columns { return layout.rows }
        let rows = TranscriptLayout(me: state.me.user, columns: columns, zone: zone).rows(of: state.transcript)
        layout = (state.transcript.version, columns, rows)
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

    // MARK: The bar

    private func bar(_ state: ChatState, columns: Int, isAtEnd: Bool) -> StyledText {
        var parts = ["\(state.me) with \(state.other)"]
        if let presence = state.presence { parts.append(presence.shown(in: zone)) }
        switch state.link {
        case .connecting: parts.append("connecting …")
        case .connected: break
        case .waiting(let reason): parts.append(reason)
        }
        if let transfer = state.transfers.first(where: { $0.obstacle == nil }) ?? state.transfers.first {
            parts.append(state.transfers.count > 1 ? "\(transfer.text) (+\(state.transfers.count - 1))" : transfer.text)
        }
        if !isAtEnd { parts.append(state.unseen > 0 ? "↓ \(state.unseen) new" : "↓ Page Down") }
        if state.isOtherTyping { parts.append("\(state.other) is typing …") }
        return StyledText(" \(parts.joined(separator: " · "))", .reversed).prefix(columns: columns)
            .padded(toColumns: columns)
    }
}

extension PresenceUpdate {
    /// For the bar.
    fileprivate func shown(in zone: TimeZone) -> String {
        switch state {
        case .known(.online): "online"
        case .known(.offline):
            lastSeen.map { "last seen \(zone.civil($0).stamp.prefix(16))" } ?? "offline"
        case .unknown(let name): name
        }
    }
}
