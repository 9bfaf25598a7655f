import ParleyProtocol
import Testing

@testable import parley_trials

@Suite("What was answered, stored and heard is compared")
struct LedgerTests {
    private static let conversation = ConversationID.random()
    private static let ids = (0..<4).map { _ in MessageID.random() }

    private static func entry(_ seq: Int, _ index: Int) -> Ledger.Entry { Ledger.Entry(seq: seq, id: ids[index]) }

    private static func ledger(_ entries: [Ledger.Entry]) -> Ledger {
        var ledger = Ledger()
        ledger.extend(conversation, by: entries)
        return ledger
    }

    private static let whole = [entry(1, 0), entry(2, 1), entry(3, 2)]

    @Test("what agrees is no finding")
    func agreeing() {
        var ledger = Self.ledger(Array(Self.whole.prefix(2)))
        ledger.extend(Self.conversation, by: [Self.whole[2]])
        for entry in Self.whole { ledger.check(answered: entry, in: Self.conversation) }
        ledger.check(heard: Self.whole.reversed(), in: Self.conversation)
        #expect(ledger.findings.isEmpty)
    }

    @Test(
        "a log with a hole, or with something twice, is found out",
        arguments: [
            ([entry(1, 0), entry(3, 1)], Findings.Kind.hole), ([entry(1, 0), entry(1, 1)], .double),
            ([entry(1, 0), entry(2, 0)], .double), ([entry(2, 0)], .hole),
        ])
    func log(entries: [Ledger.Entry], kind: Findings.Kind) {
        let findings = Self.ledger(entries).findings
        #expect(findings[kind] == 1, "\(findings.summary)")
    }

    @Test("an answer that the database does not bear out is lost, or stands elsewhere")
    func answers() {
        var ledger = Self.ledger(Self.whole)
        ledger.check(answered: Self.entry(4, 3), in: Self.conversation)
        #expect(ledger.findings[.lost] == 1)
        ledger.check(answered: Self.entry(2, 0), in: Self.conversation)
        #expect(ledger.findings[.double] == 1)
    }

    @Test("what a device has heard otherwise, or not at all, is found out")
    func heard() {
        var ledger = Self.ledger(Self.whole)
        ledger.check(heard: [Self.entry(1, 1), Self.entry(2, 0), Self.entry(3, 2)], in: Self.conversation)
        #expect(ledger.findings[.disagreement] == 2)
        #expect(ledger.findings[.unheard] == 2)
    }
}
