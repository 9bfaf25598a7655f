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
        let turns = WriteTurns(try writes(batch), share: 2)
        #expect(names(turns.first) == first && names(turns.rest) == rest)
    }
}
