import PostgreSQL
import Testing

@testable import ParleyPostgreSQL
@testable import ParleyStore

@Suite("Servers that will do, and what is said of others")
struct ServerCheckTests {
    @Test("a version before 15 is refused by its number", arguments: [9_06_24, 14_00_12, 15_00_00, 15_00_18, 17_00_02])
    func version(_ version: Int) throws {
        guard version < 15_00_00 else { return try ServerCheck.check(version: version) }
        let error = #expect(throws: StoreError.self) { try ServerCheck.check(version: version) }
        let sentence = "it is of version \(version / 10_000); 15 is the oldest that will do"
        #expect(error?.description.contains(sentence) == true && error?.isPassing == false)
    }

    @Test(
        "at a start, what waiting does not mend is called so; a server that is away is waited for",
        arguments: [
            ("28P01", false), ("28000", false), ("3D000", false), ("42501", false), ("42P01", false), ("3F000", false),
            ("57P03", true), ("53300", true), ("25006", true), ("40001", true), ("08006", true),
        ])
    func starting(_ code: String, _ isWaitedFor: Bool) throws {
        let state = try #require(SQLState(code.utf8))
        let error = PostgreSQLError.server(sqlState: state, message: "no", constraint: nil)
        #expect(StoreError(starting: error, on: "db").isPassing == isWaitedFor)
        // While it runs, whatever was there before may come back.
        #expect(StoreError(error).isPassing)
        for error in [PostgreSQLError.connection(reason: "no"), .timedOut, .broken(reason: "no")] {
            #expect(StoreError(starting: error, on: "db").isPassing)
        }
        #expect(!StoreError(starting: PostgreSQLError.noPassword, on: "db").isPassing)
    }
}
