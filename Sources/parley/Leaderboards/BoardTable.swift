import ParleyProtocol

extension Leaderboard {
    /// The board as a table for people: the week, and a line for each member with a value, the reader's own marked.
    func rows(for reader: UserID, in zone: TimeZone) -> [StyledText] {
        [StyledText(title(in: zone), .bold)]
            + (entries.isEmpty ? [StyledText("Nobody yet.", .faint)] : lines(for: reader))
    }

    private func title(in zone: TimeZone) -> String {
        let state: String
        if isFinal {
            state = "final"
        } else {
            let end = zone.civil(endsAt)
            state = "until \(end.day) \(end.time)"
        }
        return "\(type.name), week \(week), \(state)"
    }

    private func lines(for reader: UserID) -> [StyledText] {
        let ranks = entries.map { "\($0.rank)" }
        let names = entries.map(\.shownName)
        let values = entries.map { "\($0.value)" }
        let widths = [ranks, names, values].map { column in column.map(\.columns).max() ?? 0 }
        return entries.indices.map { index in
            let entry = entries[index]
            let isOwn = entry.user == reader
            let style: Style = isOwn ? .bold : .plain
            var line = StyledText(isOwn ? "> " : "  ", style)
            line.append(ranks[index].padded(toColumns: widths[0], alignedRight: true) + " ", style)
            line.append(entry.arrow.padded(toColumns: 4), entry.arrow.hasPrefix("↓") ? .warning : style)
            line.append(names[index].padded(toColumns: widths[1]) + "  ", style)
            line.append(values[index].padded(toColumns: widths[2], alignedRight: true), style)
            return line
        }
    }
}

extension Leaderboard.Entry {
    /// The name that they gave themselves, and their id where it is another.
    fileprivate var shownName: String {
        let name = displayName.printable
        return name.isEmpty || name == user.text ? user.text : "\(name) (\(user))"
    }

    /// By how many ranks they went up or down; empty for no change.
    fileprivate var arrow: String {
        guard let previousRank, previousRank != rank else { return "" }
        return previousRank > rank ? "↑\(previousRank - rank)" : "↓\(rank - previousRank)"
    }
}

extension String {
    fileprivate func padded(toColumns width: Int, alignedRight: Bool) -> String {
        alignedRight ? String(repeating: " ", count: max(0, width - columns)) + self : padded(toColumns: width)
    }
}
