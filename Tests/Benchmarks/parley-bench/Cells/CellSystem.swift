/// What is measured beside cells, and cells.
enum CellSystem: Hashable {
    /// Publishes every request again, and keeps nothing.
    case relay
    /// The gateway over SQLite.
    case sqlite
    /// So many gateways over PostgreSQL, each with a broker of its own.
    case cells(Int, Hearers)

    var label: String {
        switch self {
        case .relay: "plain relay"
        case .sqlite: "SQLite"
        case .cells(1, _): "1 cell"
        case .cells(let count, let hearers): "\(count) cells, heard \(hearers.label)"
        }
    }

    /// How many brokers carry the load.
    var brokers: Int {
        switch self {
        case .relay, .sqlite: 1
        case .cells(let count, _): count
        }
    }
}

/// Where the members of a conversation are connected who do not send.
enum Hearers: CaseIterable {
    /// At the sender's cell.
    case here
    /// At others.
    case elsewhere
    /// At any: evenly spread.
    case anywhere

    var label: String {
        switch self {
        case .here: "at the same"
        case .elsewhere: "elsewhere"
        case .anywhere: "at any"
        }
    }

    /// The cell of a member, by the number of the conversation; the first member sends.
    ///
    /// - Parameter cells: more than one, if others are to be elsewhere.
    func cell(of member: Int, in conversation: Int, cells: Int) -> Int {
        guard member > 0 else { return conversation % cells }
        let distance =
            switch self {
            case .here: 0
            case .elsewhere: 1 + (member - 1) % (cells - 1)
            case .anywhere: conversation / cells + member - 1
            }
        return (conversation + distance) % cells
    }
}
