import TestSupport
import Testing

@testable import ParleyStore

@Suite("What is copied from one database to another")
struct TransferPlanTests {
    @Test("tables come behind those that they refer to")
    func order() throws {
        let directory = try TemporaryDirectory()
        let tables = try Store(path: directory.database).read { try $0.database.schemaTables() }
        let plan = try TransferPlan(from: tables, to: tables)
        #expect(plan.tables.count == tables.count)
        var seen: Set<String> = []
        for table in plan.tables {
            #expect(try #require(tables[table.name]).references.isSubset(of: seen.union([table.name])))
            seen.insert(table.name)
        }
    }

    @Test("a table of which each gateway has one row is known as such")
    func perGateway() throws {
        let directory = try TemporaryDirectory()
        let names = try Store(path: directory.database).text(
            """
            SELECT group_concat(name) FROM (
                SELECT name FROM sqlite_schema WHERE sql LIKE '%CHECK (id = 1)%' ORDER BY name)
            """
        )
        #expect(names == TransferPlan.perGateway.sorted().joined(separator: ","))
    }

    @Test("a column that the other has not is named")
    func differences() throws {
        let directory = try TemporaryDirectory()
        let tables = try Store(path: directory.database).read { try $0.database.schemaTables() }
        var others = tables
        others["users"]?.columns.removeLast()
        let column = try #require(tables["users"]?.columns.last?.name)
        #expect(throws: TransferError.schemasDiffer("users.\(column)")) { try TransferPlan(from: tables, to: others) }
        others["users"] = nil
        #expect(throws: TransferError.schemasDiffer("users")) { try TransferPlan(from: tables, to: others) }
    }

    @Test("a mark is read as it was written, and others are refused")
    func marks() {
        let values: [BoundValue] = [.integer(-5), .text("ä"), .blob([0, 255]), .integer(.max), .text("")]
        let bytes = RowMark.bytes(values)
        #expect(RowMark.values(bytes).map { "\($0)" } == "\(values)")
        #expect(RowMark.values([])?.isEmpty == true)
        for count in [1, 8, 10, bytes.count - 1] { #expect(RowMark.values(Array(bytes.prefix(count))) == nil) }
        #expect(RowMark.values([3] + [UInt8](repeating: 0, count: 8)) == nil)
    }

    @Test("positions go to another stream and back, and those of several streams behind one another")
    func positions() throws {
        let (one, two) = (Stream(cell: 1), Stream(cell: 2))
        let there = PositionMap([7], to: two)
        #expect(try [0, 1, 7].map { try there.map($0) } == [0, 1, 7].map { two.start.value + $0 })
        let back = PositionMap([there.end], to: .only)
        #expect(try back.map(two.start.value + 7) == 7)
        let merged = PositionMap([two.start + 4, one.start + 3], to: .only)
        #expect(try merged.map(one.start.value + 3) == 3)
        #expect(try merged.map(two.start.value + 1) == 4)
        #expect(merged.end == 7)
        #expect(try merged.map(two.start.value) == 0)
        #expect(throws: TransferError.foreignPosition(9)) { try back.map(9) }
    }
}
