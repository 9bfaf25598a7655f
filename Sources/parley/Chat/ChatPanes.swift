import ParleyProtocol

/// How a chat's screen is divided.
struct ChatPanes {
    /// The rows of the transcript.
    let height: Int
    /// The columns of the transcript.
    let columns: Int
    /// Whether a row says what happens elsewhere.
    let hasElsewhere: Bool
    private let hasList: Bool

    /// The list with the line that parts it from the transcript.
    private static let listColumns = 27
    /// A terminal that is narrower has no list beside the transcript.
    private static let wide = 100
    /// A terminal with fewer rows does not say what happens elsewhere.
    private static let high = 6

    init(_ state: ChatState, _ size: TerminalSize) {
        hasElsewhere = size.rows >= ChatPanes.high && state.list.elsewhere(than: state.place.id) != nil
        hasList = size.columns >= ChatPanes.wide && state.list.entries.count > 1
        height = max(size.rows - (hasElsewhere ? 3 : 2), 0)
        columns = size.columns - (hasList ? ChatPanes.listColumns : 0)
    }

    /// The list beside the transcript, a row for each of its rows; `nil` where there is none.
    func listRows(_ state: ChatState) -> [StyledText]? {
        guard hasList else { return nil }
        let width = ChatPanes.listColumns - 3
        var rows = state.list.entries.prefix(height).enumerated().map { index, entry in
            entry.row(number: index + 1, isCurrent: entry.id == state.place.id, columns: width)
        }
        rows += Array(repeating: StyledText(), count: height - rows.count)
        return rows.map { $0.prefix(columns: width).padded(toColumns: width) + StyledText(" │ ", .faint) }
    }

    /// The rows of an overlay.
    func overlayRows(_ overlay: ChatOverlay, _ state: inout ChatState) -> [StyledText] {
        let rows: [StyledText]
        var top: Int
        switch overlay {
        case .text(let page):
            rows = page.rows(columns: columns)
            top = page.top
        case .switcher(let switcher):
            rows =
                [
                    StyledText("Where to? Arrows or letters choose, Enter goes there, Esc goes back.", .bold),
                    StyledText(),
                ] + switcher.rows(of: state.list, current: state.place.id, columns: columns)
            top = max(switcher.selected + 3 - height, 0)
        }
        state.overlayRows = rows.count
        top = min(top, max(rows.count - height, 0))
        let shown = rows.dropFirst(top).prefix(height).map { $0.prefix(columns: columns) }
        return shown + Array(repeating: StyledText(), count: height - shown.count)
    }
}

extension ChatOverlay? {
    /// What is written in the last row while an overlay has the screen; `nil` for the chat's own line.
    var written: (text: String, cursor: Int)? {
        guard case .switcher(let switcher) = self else { return nil }
        return (switcher.filter, switcher.filter.printable.columns)
    }
}

extension ChatState {
    /// The bar below the transcript.
    func bar(columns: Int, isAtEnd: Bool, zone: TimeZone) -> StyledText {
        var parts = [place.heading(of: me)]
        if let presence, presence.user == place.peer { parts.append(presence.shown(in: zone)) }
        switch link {
        case .connecting: parts.append("connecting …")
        case .connected: if isSendingLimited { parts.append(ChatState.slowly) }
        case .waiting(let reason): parts.append(reason)
        }
        if let transfer = transfers.first(where: { $0.obstacle == nil }) ?? transfers.first {
            parts.append(transfers.count > 1 ? "\(transfer.text) (+\(transfers.count - 1))" : transfer.text)
        }
        if selection != nil { parts.append("/reply, /edit, /delete or /react; Esc") }
        if !isAtEnd { parts.append(unseen > 0 ? "↓ \(unseen) new" : "↓ Page Down") }
        if let typist { parts.append("\(typist) is typing …") }
        return StyledText(" \(parts.joined(separator: " · "))", .reversed).prefix(columns: columns).padded(
            toColumns: columns)
    }

    /// Said while the gateway's rate limit holds messages back.
    static let slowly = "sending slowly, as fast as the gateway allows"
}

extension PresenceUpdate {
    /// For the bar.
    fileprivate func shown(in zone: TimeZone) -> String {
        switch state {
        case .known(.online): "online"
        case .known(.offline): lastSeen.map { "last seen \(zone.civil($0).stamp.prefix(16))" } ?? "offline"
        case .unknown(let name): name
        }
    }
}
