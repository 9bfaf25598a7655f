import Testing

@testable import parley_bench

@Suite("Who hears at which cell")
struct HearersTests {
    /// How many of 16 conversations have their members at each pair of cells.
    private static func pairs(_ hearers: Hearers, cells: Int) -> [[Int]: Int] {
        (0..<16).reduce(into: [:]) { pairs, conversation in
            let pair = (0..<2).map { hearers.cell(of: $0, in: conversation, cells: cells) }
            pairs[pair, default: 0] += 1
        }
    }

    @Test("senders are spread evenly", arguments: Hearers.allCases, [2, 4])
    func senders(_ hearers: Hearers, cells: Int) {
        let counts = HearersTests.pairs(hearers, cells: cells).reduce(into: [:]) {
            $0[$1.key[0], default: 0] += $1.value
        }
        #expect(counts.count == cells)
        #expect(counts.values.allSatisfy { $0 == 16 / cells })
    }

    @Test("the other member is at the sender's cell, at another, or as often at each")
    func members() {
        #expect(HearersTests.pairs(.here, cells: 4).keys.allSatisfy { $0[0] == $0[1] })
        #expect(HearersTests.pairs(.elsewhere, cells: 4).keys.allSatisfy { $0[0] != $0[1] })
        let anywhere = HearersTests.pairs(.anywhere, cells: 4)
        #expect(anywhere.count == 16)
        #expect(anywhere.values.allSatisfy { $0 == 1 })
    }
}
