import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("The database's line of descent")
struct DatabaseLineageTests {
    @Test(
        "a database is the one that was left if it bears a noted name and has come as far",
        arguments: [
            (nil, 0, .missing, .first), (nil, 9, .missing, .first),
            ("a", 9, .missing, .putBack(.withoutWitness)),
            ("a", 9, .unreadable, .putBack(.unreadableWitness)),
            ("a", 9, .witness(DatabaseWitness(instances: ["a"], position: 9)), .same),
            ("a", 10, .witness(DatabaseWitness(instances: ["a"], position: 9)), .same),
            ("a", 8, .witness(DatabaseWitness(instances: ["a"], position: 9)), .putBack(.older(position: 8, noted: 9))),
            ("b", 99, .witness(DatabaseWitness(instances: ["a"], position: 9)), .putBack(.otherInstance)),
            (nil, 99, .witness(DatabaseWitness(instances: ["a"], position: 9)), .putBack(.otherInstance)),
            // Killed between the two: the database may have the old name or the new one.
            ("a", 9, .witness(DatabaseWitness(instances: ["a", "b"], position: 9)), .same),
            ("b", 9, .witness(DatabaseWitness(instances: ["a", "b"], position: 9)), .same),
            (nil, 9, .witness(DatabaseWitness(instances: [nil, "b"], position: 9)), .same),
            ("c", 9, .witness(DatabaseWitness(instances: ["a", "b"], position: 9)), .putBack(.otherInstance)),
        ] as [(String?, Int, DatabaseLineage.Note, DatabaseLineage)])
    func lineage(_ instance: String?, _ position: Int, _ note: DatabaseLineage.Note, _ expected: DatabaseLineage) {
        #expect(DatabaseLineage(instance: instance, position: position, note: note) == expected)
    }
}
