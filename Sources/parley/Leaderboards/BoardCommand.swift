import ArgumentParser
import ParleyClient
import ParleyProtocol
import Platform

struct BoardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "board", abstract: "Shows how the members of a group stand in a week.",
        discussion: """
            One's own line is marked, and the changes of ranks are arrows. With --follow the table is drawn anew, on \
            a terminal in its place, each time the board changes, or a JSON object is printed each time, until \
            Ctrl-C.

            Examples:
              parley board --as alice/phone --follow
              parley board --as alice/phone --group 7f31d9c8-d0a4-4046-9527-01d1046656da --type streak --week 2026-W03
            """)

    @OptionGroup var reader: SenderOptions
    @OptionGroup var choice: GroupOptions

    @Option(help: ArgumentHelp("What the board counts: check-ins or streak.", valueName: "TYPE"))
    var type: LeaderboardType = .checkIns

    @Option(help: ArgumentHelp("An earlier week, such as 2026-W03. Default: the one that runs.", valueName: "WEEK"))
    var week: ISOWeek?

    @Flag(help: "Show each change as it comes.") var follow = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if follow, week != nil { throw ValidationError("--follow shows the week that runs; leave --week out") }
    }

    func run() async throws {
        if follow {
            Terminal.endQuietlyWhenAsked()
            Terminal.endQuietlyWithReader()
        }
        let device = try reader.device(common.gateway)
        try await common.signedIn(as: reader) { client in
            let chosen = try await choice.choose(by: client)
            let group = chosen.id
            var view = BoardView(
                reader: device.user, zone: chosen.timeZone, isJSON: common.output.isJSON, isRedrawn: follow)
            guard follow else {
                return view.show(try await client.leaderboards.board(of: group, type, week: week))
            }
            for try await board in await client.leaderboards.snapshots(of: group, type) { view.show(board) }
        }
    }
}

/// Shows a board, and each later one in its place.
private struct BoardView {
    let reader: UserID
    /// Of the group's weeks.
    let zone: String
    let isJSON: Bool
    /// Whether a later one takes its place: then each row has to be one row of the terminal too.
    let isRedrawn: Bool
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private var shownRows = 0

    init(reader: UserID, zone: String, isJSON: Bool, isRedrawn: Bool) {
        (self.reader, self.zone, self.isJSON, self.isRedrawn) = (reader, zone, isJSON, isRedrawn)
    }

    mutating func show(_ board: Leaderboard) {
        guard !isJSON else { return Terminal.printJSON(board.json) }
        let columns = isRedrawn ? TerminalSize(of: STDOUT_FILENO)?.columns : nil
        let rows = board.rows(for: reader, in: .local, weeksOf: zone, columns: columns)
        guard isTerminal else {
            if shownRows > 0 { Terminal.print("") }
            shownRows = rows.count
            return rows.forEach { Terminal.print($0.text) }
        }
        Terminal.redraw(rows, over: shownRows)
        shownRows = rows.count
    }
}
