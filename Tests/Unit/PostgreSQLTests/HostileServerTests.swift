import PostgreSQL
import TestSupport
import Testing

/// Whatever a server says, there is an error of ours in bounded time, and no trap.
@Suite("Servers that are none", .ownThreads, .timeLimit(.minutes(5)), .seeded)
struct HostileServerTests {
    private typealias Message = ServerMessage

    /// What becomes of a query for which the server answers so, after it has accepted the connection.
    private func outcome(
        _ answers: [[UInt8]], closes: Bool = false, limit: Duration = .milliseconds(150)
    ) throws -> Result<PostgreSQLRows, PostgreSQLError> {
        let server = try ScriptedServer()
        server.answer([Message.welcome] + answers, thenCloses: closes)
        let settings = try PostgreSQLSettings(uri: server.uri, program: "tests")
        let connection = try PostgreSQLConnection(settings)
        connection.timeLimit = limit
        return Result { () throws(PostgreSQLError) in try connection.query("SELECT 1") }
    }

    private static let prepared = Message.prepared(parameter: nil, column: 20)
    private static let bound = Message.make("2") + Message.rowDescription(20)
    private static let number: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 7]

    @Test("one that follows the protocol is understood")
    func right() throws {
        let answer = Self.bound + Message.row(Self.number) + Message.done("SELECT 1") + Message.ready
        #expect(try outcome([Self.prepared, answer], limit: patience).get().integer(0, 0) == 7)
    }

    @Test(
        "a value that is none of its type, a column as text or of an unknown type are refused",
        arguments: [
            Message.rowDescription(20) + Message.row([1]), Message.rowDescription(20) + Message.row([]),
            Message.rowDescription(16) + Message.row([1, 1]),
            Message.rowDescription(20, format: 0) + Message.row([0x31]),
            Message.rowDescription(1700) + Message.row([0, 9, 9, 9, 9, 9, 9, 9]),
            Message.rowDescription(4_000_000_000) + Message.row([1]), Message.rowDescription(2950) + Message.row([1]),
        ])
    func malformedValues(rows: [UInt8]) throws {
        let answer = Message.make("2") + rows + Message.done("SELECT 1") + Message.ready
        switch try outcome([Self.prepared, answer], limit: patience) {
        case .success: Issue.record("it was taken")
        case .failure(let error):
            switch error {
            case .malformedReply, .unsupportedType: break
            default: Issue.record("\(error)")
            }
        }
    }

    @Test(
        "answers that are out of place end the connection with an error",
        arguments: [
            Message.done("SELECT 1") + Message.done("SELECT 1") + Message.ready, Message.ready + Message.error("40001"),
            Message.error("40001") + Message.error("40001") + Message.ready,
            // Nothing; the end; a second end; rows where none are; no rows where some are; COPY; a code that is none.
            [], Message.ready, Message.ready + Message.ready, Self.bound + Message.row(Self.number) + Message.ready,
            Message.done("SELECT 1") + Message.ready, Message.make("2") + Message.done("SELECT 1") + Message.ready,
            Message.make("G", [0, 0, 0]), Message.make("H", [0, 0, 0]), Message.make("W", [0, 0, 0]),
            Message.make("E", [UInt8(ascii: "C"), 0x31, 0, 0]) + Message.ready, Message.make("E") + Message.ready,
            Message.make("x", [1, 2, 3]), [0, 0, 0, 0, 0, 0], [UInt8(ascii: "D"), 0xFF, 0xFF, 0xFF, 0xFF],
            [UInt8(ascii: "D"), 0, 0, 0, 0], Message.make("D", [0xFF, 0xFF]), Message.make("T", [0x7F, 0xFF]),
            Message.make("t", [0xFF, 0xFF]), Message.make("A", [0]), Message.make("S", [1]), Message.make("K"),
        ])
    func outOfPlace(answer: [UInt8]) throws {
        for answers in [[answer], [Self.prepared, answer]] {
            for closes in [false, true] {
                if case .success(let rows) = try outcome(answers, closes: closes) {
                    #expect(rows.count == 0)
                }
            }
        }
    }

    @Test("a code and a message of a server's are shown without what would move a terminal")
    func messages() throws {
        let answer = Message.error("23505", "a\u{1B}[2J\nb") + Message.ready
        #expect(
            throws: PostgreSQLError.server(sqlState: .uniqueViolation, message: "a [2J b", constraint: nil)
        ) { try outcome([answer, Message.ready], limit: patience).get() }
    }

    @Test("one that never stops talking has no more time than others")
    func talkative() throws {
        let notice = Message.make("N", Message.text("SNOTICE") + Message.text("C00000") + Message.text("Mx") + [0])
        let answers = (0..<200).map { _ in (0..<1000).flatMap { _ in notice } }
        guard case .failure = try outcome(answers, limit: .milliseconds(100)) else {
            Issue.record("it was taken")
            return
        }
    }

    @Test("random messages in random order, whole and cut short, to a query and while connecting")
    func random() throws {
        var random = Seeded()
        let whole: [[UInt8]] = [
            Self.prepared, Self.bound, Message.row(Self.number), Message.done("SELECT 1"), Message.ready,
            Message.make("1"),
            Message.make("2"), Message.make("n"), Message.make("I"), Message.make("s"), Message.make("3"),
            Message.error("40001"), Message.error("57P01"), Message.setting("a", "b"),
            Message.make("A", Message.number(1) + Message.text("c") + Message.text("p")),
            Message.make("N", Message.text("Mx") + [0]), Message.welcome,
        ]
        func messages() throws -> [UInt8] {
            try (0..<random.number(1...8)).flatMap { _ -> [UInt8] in
                if random.chance(0.15) {
                    let type = Character(UnicodeScalar(UInt8(random.number(33...126))))
                    return Message.make(type, random.bytes(0...20))
                }
                var message = try random.element(whole)
                if random.chance(0.1) { message = Array(message.prefix(random.number(0...message.count))) }
                // Not in the length: libpq would ask for as much memory as it says.
                if random.chance(0.1), message.count > 5 { message[random.number(5...message.count - 1)] ^= 0x55 }
                return message
            }
        }
        for _ in 0..<TestForm.count(short: 150, whole: 3000) {
            let answers = try (0..<random.number(1...3)).map { _ in try messages() }
            _ = try outcome(answers, closes: random.chance(0.5), limit: .milliseconds(15))
            let server = try ScriptedServer()
            server.answer(answers, thenCloses: random.chance(0.5))
            var settings = try PostgreSQLSettings(uri: server.uri, program: "tests")
            settings.connectLimit = .milliseconds(15)
            _ = try? PostgreSQLConnection(settings)
        }
    }
}
