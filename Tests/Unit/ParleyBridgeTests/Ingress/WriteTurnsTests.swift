import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

@Suite("Writes in two turns")
struct WriteTurnsTests {
    private func writes(_ names: String) throws -> [IncomingCommand] {
        try names.enumerated().map { number, name in
            let user = UserID(stringLiteral: String(name))
            return try request(ProfileChange.self, #"{"request_id":"\#(number)"}"#, from: device(user, "phone"))
        }
    }

    private func names(_ writes: [IncomingCommand]) -> String { writes.map(\.sender.user.text).joined() }

    @Test(
        "the first turn has no more than a share of anybody's; a batch of one user, or of few each, has one turn",
        arguments: [
            ("", "", ""), ("aaaaaaa", "aaaaaaa", ""), ("aabb", "aabb", ""), ("aabbcc", "aabbcc", ""),
            ("aaaab", "aab", "aa"), ("abababa", "abab", "aba"), ("aaaabbbbc", "aabbc", "aabb"),
        ])
    func turns(batch: String, first: String, rest: String) throws {
        let turns = WriteTurns(try writes(batch), WriteTimes(), share: WriteTimes.usual * 2)
        #expect(names(turns.first) == first && names(turns.rest) == rest)
    }

    @Test("whose writes are dear has fewer of them in the first turn, or none, and waits for the others in the second")
    func dearWait() throws {
        var times = WriteTimes()
        times.begin(at: .now)
        for _ in 0..<20 {
            times.record(.milliseconds(25), of: "a")
            times.record(.milliseconds(1), of: "b")
        }
        let mixed = WriteTurns(try writes("aabbbbbc"), times)
        #expect(names(mixed.first) == "c" && names(mixed.rest) == "bbbbbaa")
        // Who is alone is one turn, however dear.
        let alone = WriteTurns(try writes("aaaa"), times)
        #expect(names(alone.first) == "aaaa" && alone.rest.isEmpty)
        // Where all would wait, they are carried out at once.
        let dear = WriteTurns(try writes("aab"), times)
        #expect(names(dear.first) == "baa" && dear.rest.isEmpty)
    }

    @Test(
        "who has had no more than half of the writer's time is not ahead, and nobody is for longer than a second or two"
    )
    func leadPasses() throws {
        let start = ContinuousClock.now
        var times = WriteTimes()
        times.begin(at: start)
        for _ in 0..<1000 { times.record(.milliseconds(5), of: "a") }
        #expect(times.lead(of: "a") == .seconds(1) && times.lead(of: "b") == .zero)
        times.begin(at: start.advanced(by: .seconds(1)))
        #expect(times.lead(of: "a") == .milliseconds(500))
        times.begin(at: start.advanced(by: .seconds(2)))
        #expect(times.lead(of: "a") == .zero)
        // Cheap again, once cheap writes were seen.
        for _ in 0..<40 { times.record(.microseconds(50), of: "a") }
        times.begin(at: start.advanced(by: .seconds(3)))
        #expect(names(WriteTurns(try writes("aab"), times).first) == "aab")
    }

    @Test("the writer measures what each user's writes take")
    func writerMeasures() throws {
        let test = try TestWriter()
        let ticks = Ticks()
        let writer = try test.anotherWriter(instant: { ticks.next() })
        _ = writer.carryOut(try writes("ab") + writes("a"), now: at(0))
        #expect(writer.times.lead(of: "a") == .milliseconds(20) && writer.times.lead(of: "b") == .milliseconds(10))
        #expect(writer.times.expected(of: "a") > writer.times.expected(of: "c"))
    }

    /// A clock that goes on by 10 ms with each look.
    private final class Ticks {
        private var instant = ContinuousClock.now

        func next() -> ContinuousClock.Instant {
            instant = instant.advanced(by: .milliseconds(10))
            return instant
        }
    }
}
