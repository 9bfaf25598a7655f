import PostgreSQL
import PostgreSQLServer
import TestSupport
import Testing

@Suite("Values, to a server and back", .ownThreads, .realServer, .timeLimit(.minutes(5)), .seeded)
final class ValueTests: ConnectionSuite {
    private func column(_ type: String, _ value: PostgreSQLValue) throws -> PostgreSQLRows {
        try connection.query("SELECT CAST($1 AS \(type))", [value])
    }

    @Test(
        "whole numbers of every size, with their ends",
        arguments: [
            ("smallint", [-32_768, -1, 0, 1, 32_767], [-32_769, 32_768]),
            ("integer", [-2_147_483_648, -1, 0, 1, 2_147_483_647], [-2_147_483_649, 2_147_483_648]),
            ("bigint", [.min, -1, 0, 1, .max], []), ("oid", [0, 4_294_967_295], [-1, 4_294_967_296]),
            ("boolean", [0, 1], [-1, 2]),
        ])
    func integers(type: String, fitting: [Int], unfit: [Int]) throws {
        for value in fitting { #expect(try column(type, .integer(value)).integer(0, 0) == value) }
        for value in unfit {
            let error = try #require(
                try failure {
                    _ = try connection.query("SELECT CAST($1 AS \(type))", [.integer(value)])
                })
            guard case .valueDoesNotFit(1, let found) = error else {
                Issue.record("\(error)")
                continue
            }
            #expect(found.name == type)
        }
    }

    @Test("texts: empty, of several bytes, of a megabyte", arguments: ["text", "varchar", "name"])
    func texts(type: String) throws {
        var random = Seeded()
        var texts = ["", "a", "Zoë 👏", "it's \\ \"quoted\"", "\u{1}\u{7F}"]
        if type != "name" {
            texts += [String(repeating: "ü", count: 500_000)]
            // No text of PostgreSQL's holds NUL.
            texts += (0..<20).map { _ in random.text(1...40).replacing("\0", with: "") }
        }
        for text in texts {
            let rows = try column(type, .text(text))
            #expect(rows.text(0, 0)?.utf8.elementsEqual(text.utf8) == true)
            #expect(rows.bytes(0, 0) == Array(text.utf8))
            #expect(!rows.isNull(0, 0) && rows.integer(0, 0) == nil)
        }
    }

    @Test("bytes: none, NUL, every byte, a megabyte")
    func bytes() throws {
        var random = Seeded()
        for value in [[], [0], Array(0...255), random.bytes(count: 1 << 20)] as [[UInt8]] {
            let rows = try column("bytea", .bytes(value))
            #expect(rows.bytes(0, 0) == value)
            #expect(rows.withBytes(0, 0) { $0.count } == value.count)
            #expect(!rows.isNull(0, 0))
        }
    }

    @Test("a UUID is 16 bytes, and neither 15 nor 17")
    func uuids() throws {
        let value = Array(1...16) as [UInt8]
        #expect(try column("uuid", .bytes(value)).bytes(0, 0) == value)
        for count in [0, 15, 17] {
            let error = try failure {
                _ = try connection.query("SELECT CAST($1 AS uuid)", [.bytes(Array(repeating: 1, count: count))])
            }
            #expect(error == .valueDoesNotFit(parameter: 1, type: .uuid))
        }
    }

    @Test("NULL is one of every type", arguments: ParameterType.allCases)
    func nulls(type: ParameterType) throws {
        let rows = try column(type.name, .null)
        #expect(rows.isNull(0, 0) && rows.integer(0, 0) == nil && rows.text(0, 0) == nil && rows.bytes(0, 0) == nil)
        #expect(rows.withBytes(0, 0) { _ in true } == nil)
    }

    @Test("a value of another kind does not fit, and the connection goes on", arguments: ParameterType.allCases)
    func otherKinds(type: ParameterType) throws {
        let values: [PostgreSQLValue] =
            switch type {
            case .boolean, .int2, .int4, .int8, .oid: [.text("1"), .bytes([1])]
            case .text, .varchar, .name: [.integer(1), .bytes([1]), .text("a\0b")]
            case .bytes, .uuid: [.integer(1), .text("1")]
            }
        for value in values {
            let error = try failure {
                try connection.send("SELECT CAST($1 AS \(type.name))", [value])
            }
            #expect(error == .valueDoesNotFit(parameter: 1, type: type))
            // Once more, at the point of synchronization.
            #expect(try failure { try connection.sync() } == error)
            #expect(try number("SELECT CAST($1 AS bigint)", [.integer(7)]) == 7)
        }
    }

    @Test("the number of values is that of parameters")
    func counts() throws {
        for count in [0, 1, 3] {
            let values = Array(repeating: PostgreSQLValue.integer(1), count: count)
            let error = try failure {
                _ = try connection.query("SELECT CAST($1 AS bigint) + CAST($2 AS bigint)", values)
            }
            #expect(error == .wrongNumberOfValues(expected: 2, actual: count))
        }
        #expect(try number("SELECT 1") == 1)
    }

    @Test("a type that is not supported is refused by its number, as a parameter and as a column")
    func unsupported() throws {
        // float8
        for statement in ["SELECT CAST($1 AS double precision)", "SELECT CAST(1.5 AS double precision)"] {
            let values: [PostgreSQLValue] = statement.contains("$1") ? [.integer(1)] : []
            let error = try failure { _ = try connection.query(statement, values) }
            #expect(error == .unsupportedType(oid: 701))
        }
        #expect(try number("SELECT 1") == 1)
    }

    @Test("sums are numbers if they are whole and have 64 bits")
    func sums() throws {
        for (text, expected) in [
            ("0", 0), ("-1", -1), ("10000", 10_000), ("100000000", 100_000_000), ("123456789012", 123_456_789_012),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("5.0", 5), ("12340000.00", 12_340_000),
        ] { #expect(try number("SELECT CAST('\(text)' AS numeric)") == expected) }
        for text in ["0.5", "9223372036854775808", "-9223372036854775809", "1e30", "NaN", "Infinity", "-0.0001"] {
            let error = try failure {
                _ = try connection.query("SELECT CAST('\(text)' AS numeric)")
            }
            #expect(error == .unsupportedType(oid: 1700), "\(text)")
        }
    }

    @Test("a domain is the type beneath it, also beneath another domain")
    func domains() throws {
        try connection.execute(
            "CREATE DOMAIN blob AS bytea; CREATE DOMAIN small_blob AS blob; CREATE DOMAIN ratio AS float8")
        #expect(try column("blob", .bytes([0, 1])).bytes(0, 0) == [0, 1])
        #expect(try column("small_blob", .bytes([2])).bytes(0, 0) == [2])
        let error = try failure {
            _ = try connection.query("SELECT CAST($1 AS ratio)", [.integer(1)])
        }
        guard case .unsupportedType(let oid) = error else { throw NeverCameError("\(String(describing: error))") }
        #expect(oid >= 16_384)
    }

    @Test("a row or a column that is not there is NULL")
    func absent() throws {
        let rows = try connection.query("SELECT 1, 'a' UNION ALL SELECT 2, 'b' ORDER BY 1")
        #expect(rows.count == 2 && rows.columnCount == 2)
        #expect(rows.integer(1, 0) == 2 && rows.text(1, 1) == "b")
        for (row, column) in [(2, 0), (0, 2), (-1, 0), (0, -1), (.max, .max), (.min, 0)] {
            #expect(rows.isNull(row, column) && rows.integer(row, column) == nil && rows.text(row, column) == nil)
            #expect(rows.bytes(row, column) == nil && rows.withBytes(row, column) { _ in true } == nil)
        }
    }

    @Test("changed rows are counted")
    func changed() throws {
        try connection.execute("CREATE TABLE t (id bigint PRIMARY KEY)")
        #expect(try connection.query("INSERT INTO t SELECT generate_series(1, 10)").changedCount == 10)
        #expect(try connection.query("DELETE FROM t WHERE id > $1", [.integer(7)]).changedCount == 3)
        #expect(try connection.query("DELETE FROM t WHERE id > $1", [.integer(7)]).changedCount == 0)
        let returned = try connection.query("UPDATE t SET id = -id RETURNING id")
        #expect(returned.count == 7 && returned.changedCount == 7)
    }
}
