import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("A cell's line of descent")
struct CellLineageTests {
    private static func era(_ text: String) -> DatabaseEra? { DatabaseEra(text) }

    private static func noted(_ text: String, _ position: Int) -> DatabaseLineage.Note {
        .witness(DatabaseWitness(instances: [text], position: position))
    }

    @Test(
        "what a cell has noted tells whether its database has lost commits; without a note others vouch for it",
        arguments: [
            // The era of the database, the cell's note, and what is decided while others run, and while none does.
            (nil, .missing, .first, .first),
            (nil, noted("abcdef", 7), .first, .first),
            (nil, noted("1-a", 7), .refused(.otherDatabase), .putBack(.otherDatabase)),
            ("1-a", .missing, .joined(.withoutWitness), .putBack(.withoutWitness)),
            ("1-a", .unreadable, .joined(.unreadableWitness), .putBack(.unreadableWitness)),
            // Of a database file.
            ("1-a", noted("abcdef", 99), .joined(.withoutWitness), .putBack(.withoutWitness)),
            ("1-a", noted("1-a", 9), .same, .same),
            ("1-a", noted("1-a", 8), .same, .same),
            (
                "1-a", noted("1-a", 10), .putBack(.older(position: 9, noted: 10)),
                .putBack(.older(position: 9, noted: 10))
            ),
            ("1-a", noted("1-a", CellLineage.lostPosition), .putBack(.lost), .putBack(.lost)),
            ("2-b", noted("1-a", 99), .joined(.laterEra), .joined(.laterEra)),
            ("2-b", noted("1-a", CellLineage.lostPosition), .joined(.laterEra), .joined(.laterEra)),
            ("1-a", noted("2-b", 1), .refused(.otherDatabase), .putBack(.otherDatabase)),
            ("2-b", noted("2-c", 1), .refused(.otherDatabase), .putBack(.otherDatabase)),
        ] as [(String?, DatabaseLineage.Note, CellLineage, CellLineage)])
    func lineage(_ text: String?, _ note: DatabaseLineage.Note, _ amongOthers: CellLineage, _ alone: CellLineage) {
        let era = text.flatMap(Self.era)
        #expect((era == nil) == (text == nil))
        #expect(CellLineage(era: era, position: 9, note: note, hasNeighbours: true) == amongOthers)
        #expect(CellLineage(era: era, position: 9, note: note, hasNeighbours: false) == alone)
    }

    @Test("an era that follows is later than the database's and than the noted one, so that others find it later")
    func next() {
        #expect(DatabaseEra(after: [nil, nil], name: "x").text == "1-x")
        for (one, other) in [("1-a", "2-b"), ("2-b", "1-a")] {
            let next = DatabaseEra(after: [Self.era(one), Self.era(other)], name: "x")
            #expect(next.text == "3-x")
            for text in [one, other] {
                #expect(
                    CellLineage(era: next, position: 0, note: Self.noted(text, 9), hasNeighbours: true)
                        == .joined(.laterEra))
            }
        }
    }

    @Test("a text that is no era's is none", arguments: ["", "-", "1-", "-a", "0-a", "-1-a", "a", "a-1", "1"])
    func malformed(_ text: String) {
        #expect(DatabaseEra(text) == nil)
    }
}
