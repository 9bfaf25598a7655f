import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge

/// A limit that the writer and the readers share.
@Suite("Limits of a user")
struct UserLimitTests {
    private let limit = UserLimit(Rate(burst: 4, perHour: 4), refusal: "no more")

    @Test("what a transaction uses counts in it, and for all others when it is committed")
    func countsWhenCommitted() throws {
        var uses = PendingUses()
        for _ in 0..<4 { try limit.charge("bob", &uses, now: at(0)) }
        #expect(throws: Rejection.self) { try limit.charge("bob", &uses, now: at(0)) }
        try limit.charge("alice", &uses, now: at(0))
        // One that failed leaves nothing.
        uses = PendingUses()
        for _ in 0..<4 { try limit.charge("bob", &uses, now: at(0)) }
        limit.commit(uses)
        #expect(throws: Rejection.self) { try limit.charge("bob", now: at(0)) }
        try limit.charge("alice", now: at(0))
    }

    @Test("what a reader has used meanwhile makes none of a transaction's uses free")
    func readersCountToo() throws {
        var uses = PendingUses()
        for _ in 0..<4 { try limit.charge("bob", &uses, now: at(0)) }
        try limit.charge("bob", now: at(0))
        limit.commit(uses)
        let hour: Int64 = 3_600_000
        // Five of four: after a quarter of an hour there is none yet, after two there is one.
        #expect(throws: Rejection.self) { try limit.charge("bob", now: at(hour / 4)) }
        try limit.charge("bob", now: at(hour / 2))
        #expect(throws: Rejection.self) { try limit.charge("bob", now: at(hour / 2)) }
    }
}
