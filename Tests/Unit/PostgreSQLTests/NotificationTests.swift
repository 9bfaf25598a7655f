import PostgreSQL
import PostgreSQLServer
import TestSupport
import Testing

@Suite("Notifications", .ownThreads, .realServer, .timeLimit(.minutes(5)))
final class NotificationTests: ConnectionSuite {
    @Test("who listens hears what another connection has committed, in order, and nothing else")
    func heard() throws {
        let other = try database.connect()
        try connection.execute("LISTEN bell")
        try other.execute("NOTIFY bell, 'first'; NOTIFY silence; NOTIFY bell, 'second'")
        try other.send("BEGIN")
        try other.send("NOTIFY bell, 'never'")
        try other.rollback()
        var heard: [PostgreSQLNotification] = []
        while heard.count < 2 { heard += try connection.notifications(until: .now.advanced(by: patience)) }
        #expect(heard.map(\.payload) == ["first", "second"])
        #expect(heard.allSatisfy { $0.channel == "bell" && $0.process == other.process })
        #expect(try connection.notifications(until: .now) == [])
    }

    @Test("what came while something else was asked is there afterwards")
    func heardMeanwhile() throws {
        try connection.execute("LISTEN bell")
        let other = try database.connect()
        try other.execute("NOTIFY bell")
        #expect(try number("SELECT 1") == 1)
        #expect(try connection.notifications(until: .now.advanced(by: patience)).map(\.payload) == [""])
        // Our own come too.
        _ = try connection.query("SELECT pg_notify('bell', $1)", [.text("own")])
        let own = try connection.notifications(until: .now.advanced(by: patience))
        #expect(own.map(\.process) == [connection.process])
    }

    @Test("waiting ends when the time is over, and when the server ends the connection")
    func ends() throws {
        let began = ContinuousClock.now
        #expect(try connection.notifications(until: .now.advanced(by: .milliseconds(30))) == [])
        #expect(.now - began >= .milliseconds(30))
        let other = try database.connect()
        _ = try other.query("SELECT pg_terminate_backend($1)", [.integer(Int(connection.process))])
        let error = try failure {
            while true { _ = try connection.notifications(until: .now.advanced(by: patience)) }
        }
        guard case .broken = error else { throw NeverCameError("the end: \(String(describing: error))") }
        #expect(!connection.isOpen && connection.fileDescriptor == -1)
    }
}
