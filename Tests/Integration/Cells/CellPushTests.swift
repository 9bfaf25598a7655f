import Foundation
import Glibc
import Launch
import MQTTWire
import PostgreSQLServer
import TestSupport
import Testing

/// A push service that takes a notification and says nothing, until it is told to answer.
private final class SilentService {
    let port: UInt16
    private let directory: TemporaryDirectory
    private let process: ChildProcess

    /// A notification as it came: its id, and of which message it is.
    struct Delivery: Hashable {
        let id: String
        let seq: Int
    }

    init() throws {
        let (port, directory) = (try freePort(), try TemporaryDirectory())
        (self.port, self.directory) = (port, directory)
        let program = """
            import http.server, os
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    body = self.rfile.read(int(self.headers['Content-Length']))
                    with open('posted', 'ab') as file: file.write(body + b'\\n')
                    if not os.path.exists('answers'):
                        self.rfile.read(1)  # Until the client is gone.
                        return
                    self.send_response(204); self.end_headers()
            server = http.server.ThreadingHTTPServer(('127.0.0.1', \(port)), Handler)
            open('posted', 'ab').close()
            server.serve_forever()
            """
        let process = try ChildProcess(
            "/usr/bin/env", ["python3", "-c", program], directory: directory.path, output: "\(directory.path)/output",
            errors: "\(directory.path)/errors")
        self.process = process
        try eventually("the push service") {
            FileManager.default.fileExists(atPath: "\(directory.path)/posted") ? () : nil
        }
    }

    deinit { process.end(with: SIGKILL) }

    func answer() throws { try Data().write(to: URL(filePath: directory.path + "/answers")) }

    func deliveries() throws -> [Delivery] {
        try String(contentsOfFile: directory.path + "/posted", encoding: .utf8).split(separator: "\n").map { line in
            let body = try JSON(parsing: Array(line.utf8))
            return Delivery(id: body["id"].text ?? "", seq: body["seq"].int ?? 0)
        }
    }
}

/// Notifications that a cell has on their way when it dies.
@Suite("Pushes of cells", .ownThreads, .postgreSQL)
struct CellPushTests {
    private static let settings: JSON = {
        var settings = TestGateway.roomy
        settings["push_allow_private_endpoints"] = true
        return settings
    }()

    @Test("another cell sends what a dead one was sending under the same id, and then what waits, each once")
    func dead() throws {
        let service = try SilentService()
        let site = try CellSite(settings: Self.settings)
        let (alice, bob, conversation) = try site.pair(at: 0, 0)
        try bob.accepted(
            "push/register",
            [
                "provider": "webhook", "endpoint": .string("http://127.0.0.1:\(service.port)/bob"),
                "secret": "0123456789abcdef",
            ])
        let sessions = "SELECT count(*) FROM parley.sessions WHERE \"user\" = '\(bob.user)'"
        try eventually("bob's session") { try site.number(sessions) == 1 ? () : nil }
        bob.disconnect()
        try eventually("the end of bob's session") { try site.number(sessions) == 0 ? () : nil }
        for _ in 0..<3 { try alice.say(in: conversation) }

        let first = try eventually("the first notification") { try service.deliveries().first }
        try eventually("those that wait") { try site.number("SELECT count(*) FROM parley.jobs") == 3 ? () : nil }
        let owner = try site.number(
            "SELECT l.cell::bigint FROM parley.jobs j JOIN parley.push_leases l ON l.id = j.lease WHERE j.is_under_way = 1"
        )
        #expect(owner == 1)
        site.cells[0].endParleyd(SIGKILL)
        try service.answer()

        let all = try eventually("all notifications; there came \((try? service.deliveries()) ?? [])") {
            let deliveries = try service.deliveries()
            return deliveries.count >= 4 ? deliveries : nil
        }
        #expect(all[0] == first && all[1] == first)
        #expect(all.map(\.seq) == [1, 1, 2, 3])
        #expect(Set(all.map(\.id)).count == 3)
        try eventually("the last answer") { try site.number("SELECT count(*) FROM parley.jobs") == 0 ? () : nil }

        // The one that was away has nothing to add.
        try site.cells[0].startParleyd()
        #expect(try service.deliveries() == all)
    }

    @Test("what is read at one cell is taken away by another that has notified of it")
    func takenAway() throws {
        let service = try SilentService()
        try service.answer()
        let site = try CellSite(settings: Self.settings)
        let (alice, bob, conversation) = try site.pair(at: 0, 0)
        try bob.accepted(
            "push/register",
            [
                "provider": "webhook", "endpoint": .string("http://127.0.0.1:\(service.port)/bob"),
                "secret": "0123456789abcdef",
            ])
        bob.disconnect()
        let id = try alice.say(in: conversation)
        let first = try eventually("the notification") { try service.deliveries().first }
        #expect(first.seq == 1)
        // Bob's other device, at the other cell.
        let tablet = try site.cells[1].connect(try site.cells[0].device("tablet", of: bob.user))
        try tablet.accepted(
            "receipts/read", ["conversation_id": .string(conversation), "message_id": .string(id)])
        let clear = try eventually("the clear") { try service.deliveries().dropFirst().first }
        #expect(clear.seq == 1 && clear.id != first.id)
        try eventually("the end of what is shown") {
            try site.number("SELECT count(*) FROM parley.displayed") == 0 ? () : nil
        }
    }
}
