import ParleyProtocol

/// A chat in lines, for screen readers and for terminals that can do no more: each is whole when it is printed, and is
/// never changed.
struct PlainScreen {
    private let zone: TimeZone
    private var place = ChatPlace.nowhere
    /// What was printed of each message.
    private var printed: [ChatLine.Key: ChatLine] = [:]
    private var notices = 0
    private var elsewhere: String?
    private var link = ChatState.Link.connecting
    private var hasShownMark = false

    init(zone: TimeZone) { self.zone = zone }

    /// The lines that are new since the last call. What they show counts as seen.
    mutating func lines(_ state: inout ChatState) -> [String] {
        var lines: [String] = []
        let isOther = place.peer != state.place.peer || (state.place.peer == nil && place.id != state.place.id)
        place = state.place
        if isOther {
            (printed, notices, hasShownMark) = ([:], 0, false)
            lines.append("== \(place.heading(of: state.me)) ==")
        }
        // Printed once the first unread message is there, in order.
        if !state.reading.isOpening { lines += talk(state) }
        state.reading.see(printed.keys)
        lines += overlay(&state)
        if link != state.link, let line = state.link.line { lines.append(line) }
        link = state.link
        let news = state.list.elsewhere(than: state.place.id)
        if let news, news != elsewhere { lines.append("(\(news))") }
        elsewhere = news
        return lines
    }

    private mutating func talk(_ state: ChatState) -> [String] {
        var lines: [String] = []
        for item in state.transcript.items {
            switch item {
            case .message(let line):
                if line.key == state.reading.firstUnread, !hasShownMark {
                    hasShownMark = true
                    lines.append(TranscriptLayout.newMark)
                }
                lines += message(line, state.transcript.fileNumber(of: line), state.written)
            case .notice(let number, let text, _):
                guard number > notices else { continue }
                notices = number
                lines += text.printableLines
            }
        }
        return lines
    }

    private mutating func message(_ line: ChatLine, _ fileNumber: Int?, _ written: Set<MessageID>) -> [String] {
        let before = printed.updateValue(line, forKey: line.key)
        guard before != line else { return [] }
        let number = line.number.map { "#\($0) " } ?? ""
        guard let before else {
            // What was written here is on the terminal already.
            guard case .message(let id) = line.key, written.contains(id) else {
                return line.look == .own(.queued) ? [] : [number + whole(line, fileNumber)]
            }
            return line.isStored ? ["(sent, \(number.trimmingSpacesAtEnd()))"] : []
        }
        if before.text != line.text { return ["\(number)\(line.author), changed: \(line.oneLine)"] }
        if before.notes != line.notes { return ["\(number)of \(line.author) has now: \(line.notes ?? "nothing")"] }
        // Its number may come after the word that it is stored.
        if !before.isStored, line.isStored { return ["(sent, \(number.trimmingSpacesAtEnd()))"] }
        guard line.look == .own(.read), line.look != before.look else { return [] }
        return ["(read, \(number.trimmingSpacesAtEnd()))"]
    }

    private func whole(_ line: ChatLine, _ fileNumber: Int?) -> String {
        let quote = line.quote.map { " (answers \($0.printable))" } ?? ""
        let notes = [fileNumber.map { "/open \($0), /save \($0)" }, line.notes].compactMap { $0 }
        let end = notes.isEmpty ? "" : " [\(notes.joined(separator: " · "))]"
        return "\(zone.civil(line.time).stamp.prefix(16)) \(line.author)\(quote): \(line.oneLine)\(end)"
    }

    private func overlay(_ state: inout ChatState) -> [String] {
        defer { state.overlay = nil }
        switch state.overlay {
        case nil: return []
        case .text(let page): return page.lines.flatMap(\.printableLines)
        case .switcher:
            guard !state.list.entries.isEmpty else { return ["There is no conversation yet. /new NAME begins one."] }
            return state.list.entries.map { entry in
                entry.unread > 0 ? "\(entry.title), \(entry.unreadText) unread" : entry.title
            } + ["/switch NAME goes to one."]
        }
    }
}

extension ChatLine {
    fileprivate var oneLine: String { text.printableLines.joined(separator: " ↵ ") }

    /// Whether it is the user's own, and the gateway has it.
    fileprivate var isStored: Bool {
        switch look {
        case .own(.sent), .own(.delivered), .own(.read): number != nil
        case .own(.queued), .own(.failed), .received, .unreadable, .earlier, .system: false
        }
    }
}

extension ChatState.Link {
    /// `nil` for the connection of the beginning.
    fileprivate var line: String? {
        switch self {
        case .connecting: nil
        case .connected: "(connected)"
        case .waiting(let reason): "(\(reason))"
        }
    }
}
