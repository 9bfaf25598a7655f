import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("The log of a conversation that its reader was away from as a member")
struct RejoinedLogTests {
    private typealias Log = ConversationLog<Position>

    private func page(_ seqs: ClosedRange<Int>, lastSeq: Int, isOldest: Bool) -> Log.Page {
        Log.Page(epoch: "one", lastSeq: lastSeq, records: seqs.map { Position($0) }, isOldest: isOldest)
    }

    @Test("what they may never see is passed over, and asked for once")
    func gap() {
        var log = Log(epoch: "one", held: 1..<11)
        log.recordEnd(epoch: "one", lastSeq: 25)
        #expect(log.want == .after(10))
        let outcome = log.merge(page(21...25, lastSeq: 25, isOldest: true), for: .after(10))
        #expect(outcome.isProgress)
        #expect(log.ready(limit: 9).map(\.seq) == Array(21...25))
        log.advance(by: 5)
        #expect(log.want == nil && log.held == 1..<26)
    }

    @Test("a page that lacks what they may see passes over nothing")
    func incomplete() {
        var log = Log(epoch: "one", held: 1..<11)
        log.recordEnd(epoch: "one", lastSeq: 25)
        let outcome = log.merge(page(21...25, lastSeq: 25, isOldest: false), for: .after(10))
        #expect(!outcome.isProgress && log.ready(limit: 9).isEmpty)
        #expect(log.want == .after(10))
        // Nor one that was asked for before something else came.
        log.receive(Position(11))
        log.advance(by: log.ready(limit: 9).count)
        _ = log.merge(page(21...25, lastSeq: 25, isOldest: true), for: .after(10))
        #expect(log.want == .after(11))
    }

    @Test("a member again, they begin with the newest page")
    func rejoined() {
        var log = Log(epoch: "one", held: 1..<11)
        log.rejoin()
        #expect(log.want == .newest)
        _ = log.merge(page(21...25, lastSeq: 25, isOldest: true), for: .newest)
        #expect(log.ready(limit: 9).map(\.seq) == Array(21...25))
        #expect(log.contiguousSeq == 25)
    }

    @Test("a log whose epoch is doubted when its reader comes back asks which one stands, and takes nothing up before")
    func doubtedThenRejoined() {
        var log = Log(epoch: "one", held: 1..<11)
        log.receive(Position(11))
        log.doubt()
        #expect(log.ready(limit: 9).isEmpty && log.want == .newest && log.held == 1..<11)
        log.rejoin()
        #expect(log.want == .newest && log.held == nil && log.epoch == "one")
        _ = log.merge(page(21...25, lastSeq: 25, isOldest: true), for: .newest)
        #expect(log.ready(limit: 9).map(\.seq) == Array(21...25))
    }

    @Test(
        "a log that is only named asks for nothing until something is said of it, and nothing is doubted of one that is not"
    )
    func named() {
        var log = Log(epoch: "one")
        #expect(log.want == nil && log.epoch == "one" && log.held == nil)
        log.recordEnd(epoch: "one", lastSeq: 0)
        #expect(log.want == .newest)
        var other = Log(epoch: "one")
        other.receive(Position(3, epoch: "two"))
        #expect(other.want == .newest && other.epoch == "one")
        var unknown = Log()
        unknown.doubt()
        unknown.rejoin()
        #expect(unknown.want == nil && unknown.epoch == nil)
    }
}
