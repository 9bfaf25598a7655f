import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// How boards of a new week begin: most often with the streaks of the last one, without a look at anybody's workouts.
@Suite("Weeks that begin")
struct WeekBeginningTests {
    private static let zones = ["UTC", "Pacific/Honolulu", "Pacific/Auckland", "America/Santiago", "Europe/Berlin"]
    private let users: [UserID] = ["alice", "bob", "carol"]

    /// The boards of the week that runs, as they are and as they would be if everything were counted anew.
    private func boards(_ world: BoardWorld) throws -> (stored: [Standings], counted: [Standings]) {
        try world.writer.write(now: world.now) { batch throws(StoreError) in
            let facts = try batch.facts()
            guard let key = try facts.groups.group(world.group)?.key else { throw .inconsistent(.missingConversation) }
            let boards = try facts.boards.boards(of: key, endingAfter: world.now)
            var empty = boards
            for index in empty.indices { empty[index].standings = Standings() }
            for (old, new) in zip(boards, empty) { try batch.writable().boards.update(old, to: new) }
            try BoardUpdates(batch: batch).recount(empty, of: key, republishes: false)
            let counted = try batch.facts().boards.boards(of: key, endingAfter: world.now)
            return (boards.map(\.standings), counted.map(\.standings))
        }.0
    }

    @Test("with the streaks that go on, as if all workouts were counted anew", .seeded, arguments: 0..<24)
    func begins(stream: UInt64) throws {
        var random = Seeded(stream: stream)
        let world = try BoardWorld(["UTC", "America/Santiago"].randomElement(using: &random) ?? "UTC")
        var turns = 0
        for _ in 0..<3 {
            let ends = try #require(try world.get(.streak).data["ends_at"] as? String)
            let end = try instant(ends)
            while world.now < end {
                let pause = Int64.random(in: 1...30, using: &random)
                // At the end something is done after the week, by a device whose clock is ahead.
                let next = min(world.now.advanced(by: .seconds(pause * 3600)), end.advanced(by: .seconds(-120)))
                guard next > world.now else { break }
                try world.move(to: next)
                for user in users where Int.random(in: 0..<3, using: &random) > 0 {
                    let shift = [0, 0, 0, 200, -3600, -40_000, -90_000].randomElement(using: &random) ?? 0
                    try world.log(
                        user, at: world.now.advanced(by: .seconds(shift)),
                        zone: Self.zones.randomElement(using: &random) ?? "UTC")
                }
            }
            try world.move(to: end.advanced(by: .seconds(Int64.random(in: 0...90_000, using: &random))))
            turns += world.published("week.ended").count
            let (stored, counted) = try boards(world)
            #expect(stored.count == 2 && stored.map(\.lines.count) == counted.map(\.lines.count))
            for (one, other) in zip(stored, counted) {
                #expect(one.lines.map(\.user) == other.lines.map(\.user))
                #expect(one.lines.map(\.score) == other.lines.map(\.score))
                #expect(one.lines.map(\.rank) == other.lines.map(\.rank))
            }
        }
        #expect(turns == 3)
    }
}
