import ParleyProtocol

extension Leaderboard {
    /// The board as a table for people: the week, and a line for each member with a value, the reader's own marked.
    ///
    /// - Parameters:
    ///   - group: the zone of the group's weeks, which is named where it is known.
    ///   - columns: the most that a row takes: names are cut first, so that the values stay to be seen. `nil`
    ///   for as many as it needs.
    func rows(
        for reader: UserID, in zone: TimeZone, weeksOf group: String? = nil, columns: Int? = nil
    ) -> [StyledText] {
        let rows =
            [StyledText(title(in: zone, weeksOf: group), .bold)]
            + (entries.isEmpty
                ? [StyledText("Nobody yet.", .faint)] : lines(for: reader, columns: columns ?? .max))
        guard let columns else { return rows }
        return rows.map { $0.prefix(columns: columns) }
    }

    private func title(in zone: TimeZone, weeksOf group: String?) -> String {
        let state: String
        if isFinal {
            state = "final"
        } else {
            let end = zone.civil(endsAt)
            state = "until \(end.day) \(end.time)\(group == nil ? "" : " here")"
        }
        let weeks = group.map { ", weeks of \($0)" } ?? ""
        return "\(type.name), week \(week), \(state)\(weeks)"
    }

    private func lines(for reader: UserID, columns: Int) -> [StyledText] {
        let ranks = entries.map { "\($0.rank)" }
        let values = entries.map { "\($0.value)" }
        func width(_ column: [String]) -> Int { column.map(\.columns).max() ?? 0 }
        // The mark, a space behind the rank, the arrow and two spaces behind the name.
        let others = width(ranks) + width(values) + 2 + 1 + 4 + 2
        let names = entries.map { $0.shownName.prefix(columns: max(0, columns - others)) }
        let widths = [ranks, names, values].map(width)
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
