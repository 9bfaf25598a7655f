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

/// Where the other member of a conversation of two is connected.
enum Hearers: CaseIterable {
    /// At the sender's cell.
    case here
    /// At another.
    case elsewhere
    /// At any: evenly spread.
    case anywhere

    var label: String {
        switch self {
        case .here: "at the same"
        case .elsewhere: "at another"
        case .anywhere: "at any"
        }
    }

    /// The cell of a member, by the number of the conversation; the first member sends.
    func cell(of member: Int, in conversation: Int, cells: Int) -> Int {
        let distance =
            switch self {
            case .here: 0
            case .elsewhere: 1
            case .anywhere: conversation / cells
            }
        return (conversation + member * distance) % cells
    }
}
