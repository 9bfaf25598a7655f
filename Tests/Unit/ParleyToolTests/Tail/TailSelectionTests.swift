import Testing

@testable import parley

@Suite("What parley tail shows")
struct TailSelectionTests {
    private let statistic = "parley/v1/gateway/stats/requests"
    private let event = "parley/v1/users/alice/events"

    @Test("without options neither statistics nor what was retained")
    func usual() {
        let selection = TailSelection(filter: .everything, stats: false, retained: false)
        #expect(selection.shows(event, isRetained: false))
        #expect(!selection.shows(event, isRetained: true) && !selection.shows(statistic, isRetained: false))
        #expect(
            "\(selection)" == "parley/v1/#, without statistics (--stats) and retained messages (--retained)")
    }

    @Test("each with its option")
    func options() {
        let all = TailSelection(filter: .everything, stats: true, retained: true)
        #expect(all.shows(event, isRetained: true) && all.shows(statistic, isRetained: true))
        #expect("\(all)" == "parley/v1/#")
        let retained = TailSelection(filter: .everything, stats: false, retained: true)
        #expect(retained.shows(event, isRetained: true) && !retained.shows(statistic, isRetained: true))
    }

    @Test("a filter that names statistics shows them")
    func named() throws {
        let filter = try #require(TailFilter(argument: "gateway/stats/#"))
        #expect(TailSelection(filter: filter, stats: false, retained: false).shows(statistic, isRetained: false))
    }
}
