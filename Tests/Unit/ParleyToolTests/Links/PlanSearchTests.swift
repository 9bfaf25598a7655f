import ParleyClient
import ParleyProtocol
import Testing

@testable import parley

@Suite("Looking for the card of a plan")
struct PlanSearchTests {
    private let ids = (1...3 as ClosedRange<UInt64>).map { ConversationID(UUIDValue(high: 1, low: $0)) }

    @Test("a conversation whose history cannot be had is left out")
    func leftOut() async throws {
        let found = try await PlanSearch.messages(of: ids) { [ids] id throws(ClientError) in
            if id == ids[1] { throw .malformedReply }
            return [id]
        }
        #expect(found == [ids[0], ids[2]])
    }

    @Test("without any history it fails, and without any conversation there is nothing")
    func none() async throws {
        await #expect(throws: ClientError.self) {
            _ = try await PlanSearch.messages(of: ids) { _ throws(ClientError) -> [Int] in throw .malformedReply }
        }
        let nothing = try await PlanSearch.messages(of: []) { _ throws(ClientError) -> [Int] in throw .malformedReply }
        #expect(nothing.isEmpty)
    }

    @Test("a plan's id is its bytes: the same letters, composed otherwise, are another plan's")
    func bytes() {
        let (composed, decomposed) = (AppLink.dietPlan("caf\u{E9}"), AppLink.dietPlan("cafe\u{301}"))
        #expect(composed == decomposed && !composed.isSame(as: decomposed))
        #expect(composed.isSame(as: .dietPlan("caf\u{E9}")) && !composed.isSame(as: .workoutPlan("caf\u{E9}")))
    }
}
