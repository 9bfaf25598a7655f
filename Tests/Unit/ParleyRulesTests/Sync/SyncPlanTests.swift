import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@Suite("The plan of a sync page")
struct SyncPlanTests {
    private func plan(_ last: Int, visibleFrom: Int = 0, _ cursor: SyncRequest.Cursor?) -> SyncPlan {
        SyncPlan(SyncPlan.Log(epoch: "e", lastSeq: last, visibleFrom: visibleFrom), cursor: cursor)
    }

    private func cursor(_ seq: Int, _ epoch: String = "e") -> SyncRequest.Cursor {
        SyncRequest.Cursor(epoch: epoch, seq: seq)
    }

    @Test(
        "named with its epoch: all that comes after the cursor and may be seen",
        arguments: [
            (100, 0, 40, 40), (100, 0, 0, 0), (100, 0, 100, 100), (100, 60, 40, 60), (100, 60, 80, 80), (0, 0, 0, 0),
            // Forged, or of a member who joined where nothing has been written since.
            (100, 0, 101, 100), (100, 0, Int.max, 100), (100, 100, 3, 100), (100, 120, 3, 100),
        ])
    func named(last: Int, visibleFrom: Int, seq: Int, after: Int) {
        let plan = plan(last, visibleFrom: visibleFrom, cursor(seq))
        #expect(plan.after == after && plan.missing == last - after)
        #expect(plan.isRecovered && !plan.isNew && !plan.isNews)
    }

    @Test("named with another epoch: nothing follows from the cursor", arguments: [0, 5, 100, 200])
    func otherEpoch(seq: Int) {
        let plan = plan(100, cursor(seq, "f"))
        #expect(plan.missing == 0 && !plan.isRecovered && !plan.isNew && plan.isNews)
    }

    @Test(
        "not named: from the start, or the newest fifty",
        arguments: [
            (0, 0, 0, 0), (50, 0, 0, 50), (51, 0, 1, 50), (1000, 0, 950, 50), (1000, 950, 950, 50),
            (1000, 949, 950, 50), (1000, 951, 951, 49), (1000, 1000, 1000, 0),
        ])
    func new(last: Int, visibleFrom: Int, after: Int, missing: Int) {
        let plan = plan(last, visibleFrom: visibleFrom, nil)
        #expect(plan.after == after && plan.missing == missing)
        #expect(plan.isRecovered && plan.isNew && plan.isNews)
    }

    @Test("news stand before the rest, and a position comes back from its bytes")
    func positions() {
        let ids = (0..<20).map { _ in ConversationID.random() }
        let news = ids.map { SyncPosition(plan(0, nil), of: $0) }
        let lost = ids.map { SyncPosition(plan(9, cursor(3, "f")), of: $0) }
        let known = ids.map { SyncPosition(plan(9, cursor(9)), of: $0) }
        #expect(news == lost)
        for (index, id) in ids.enumerated() {
            #expect(known.allSatisfy { news[index] < $0 })
            #expect(SyncPosition.beginning < news[index])
            for other in ids.indices {
                #expect((known[index] < known[other]) == (id < ids[other]))
            }
            #expect(SyncPosition(bytes: known[index].bytes) == known[index])
            #expect(SyncPosition(bytes: news[index].bytes) == news[index])
        }
        for bytes in [[], [0], [3] + [UInt8](repeating: 1, count: 16), [UInt8](repeating: 1, count: 18)] as [[UInt8]] {
            #expect(SyncPosition(bytes: bytes) == nil)
        }
    }
}
