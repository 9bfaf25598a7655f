import ParleyStore
import Testing

@testable import ParleyBridge

@Suite("Transactions of the start")
struct StartTransactionsTests {
    /// Fails with each of these before it succeeds.
    private func attempts(failingWith failures: [StoreError]) throws -> Int {
        var count = 0
        return try retryingAtStart {
            count += 1
            if count <= failures.count { throw failures[count - 1] }
            return count
        }
    }

    @Test("they are tried again after a neighbour's success and after the end of their session, and not for ever")
    func retries() throws {
        #expect(
            try attempts(failingWith: [
                .conflict(message: "a"), .unavailable(message: "b"), .notUnique(code: "23505", message: "c"),
            ]) == 4)
        #expect(try attempts(failingWith: Array(repeating: .unavailable(message: "ended"), count: 2)) == 3)
        #expect(throws: StoreError.self) {
            try attempts(failingWith: Array(repeating: .unavailable(message: "away"), count: 3))
        }
        #expect(throws: StoreError.self) {
            try attempts(failingWith: Array(repeating: .conflict(message: "again"), count: 100))
        }
        #expect(throws: StoreError.self) { try attempts(failingWith: [.full]) }
    }
}
