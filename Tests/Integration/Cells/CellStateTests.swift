import Foundation
import Glibc
import Launch
import PostgreSQL
import PostgreSQLServer
import TestSupport
import Testing

/// What brokers retain, and who is online, when several cells change it or one was away.
@Suite("State across cells", .ownThreads, .postgreSQL)
struct CellStateTests {
    private static let rounds = ProcessInfo.processInfo.environment["PARLEY_CELL_ROUNDS"].flatMap(Int.init) ?? 10

    /// What the broker retains of a group for whoever comes; `nil` while it does not know of the group.
    private func retainedInfo(_ client: DeviceClient, of group: String) throws -> JSON? {
        let topic = "parley/v1/conversations/\(group)/info"
        guard try client.subscribe(topic) < 0x80 else { return nil }
        try client.readAllSent()
        return client.takeAll().last { $0.isRetained && $0.topic == topic }?.json["data"]
    }

    private func rename(_ group: String, _ name: String) -> JSON {
        ["conversation_id": .string(group), "name": .string(name)]
    }

    @Test("two who rename a group at two cells at once: both brokers keep the last name")
    func renamed() throws {
        let site = try CellSite(proxied: true)
        let clients = try site.clients(at: 0, 1)
        let (alice, bob) = (clients[0], clients[1])
        let group = try alice.group(with: bob)
        try alice.accepted(
            "conversations/set-role",
            ["conversation_id": .string(group), "user_id": .string(bob.user), "role": "admin"])
        for client in clients { try client.listen(to: group, "messages") }
        for proxy in site.proxies { proxy.delay(upTo: 3) }
        for round in 0..<Self.rounds {
            let asked = try clients.map { client in
                try (0..<3).map { count in
                    try client.ask("conversations/update", rename(group, "\(client.user) \(round) \(count)").bytes)
                }
            }
            for (client, requests) in zip(clients, asked) {
                for request in requests { #expect(try client.reply(to: request)["ok"] == true) }
            }
            // Behind these nothing of the renaming comes any more.
            let last = try clients.map { try $0.say(in: group) }
            for client in clients { for id in last { try client.hear(id, in: group) } }
            for client in clients {
                _ = client.takeAll()
                var name: String?
                try eventually("the last name at both cells; one has \(name ?? "none")") {
                    name = try retainedInfo(client, of: group)?["name"].text
                    let query = "SELECT count(*) FROM parley.conversations WHERE name = '\(name ?? "")'"
                    return try site.number(query) == 1 ? () : nil
                }
                _ = client.takeAll()
            }
        }
    }

    @Test("when a cell was away for long, its users are online again and its broker has what others have changed")
    func away() throws {
        let site = try CellSite()
        let clients = try site.clients(at: 0, 1)
        let (alice, bob) = (clients[0], clients[1])
        let group = try alice.group(with: bob)
        let online = #"SELECT count(*) FROM parley.presence WHERE "user" = '\#(bob.user)' AND state = 'online'"#
        try eventually("bob online") { try site.number(online) == 1 ? () : nil }
        _ = try eventually("info of the group") { try retainedInfo(bob, of: group) }
        let parleyd = try #require(site.cells[1].parleyd)
        parleyd.send(SIGSTOP)
        try eventually("bob offline: his cell is silent") {
            try site.number(online) == 0 ? () : nil
        }
        try alice.accepted("conversations/update", rename(group, "Renamed meanwhile"))
        // What it has not read is kept for ten minutes.
        let connection = try site.database.connect()
        defer { connection.close() }
        try connection.execute("UPDATE parley.cell_leases SET until = until - 700000 WHERE cell = 2")
        try eventually("the end of what the cell has not read") {
            try site.number("SELECT count(*) FROM parley.outbox WHERE position >> 48 = 1") == 0 ? () : nil
        }
        parleyd.send(SIGCONT)
        let back = try site.cells[1].connect(bob.credentials)
        try eventually("bob online again") { try site.number(online) == 1 ? () : nil }
        #expect(try site.number(#"SELECT count(*) FROM parley.sessions WHERE "user" = '\#(bob.user)'"#) == 1)
        try eventually("the new name at the cell that was away") {
            try retainedInfo(back, of: group)?["name"].text == "Renamed meanwhile" ? () : nil
        }
        // Nobody else was shown as offline by the cell that came back.
        let others = #"SELECT count(*) FROM parley.presence WHERE "user" = '\#(alice.user)' AND state = 'online'"#
        #expect(try site.number(others) == 1)
    }

    @Test("what a cell that is away has not read is kept over the end of the cell that wrote it, and its next start")
    func kept() throws {
        let site = try CellSite()
        let (alice, bob, conversation) = try site.pair()
        let events = "SELECT count(*) FROM parley.outbox WHERE position >> 48 = 1"
        let first = try bob.say(in: conversation)
        site.cells[1].endParleyd(SIGKILL)
        try alice.accepted(
            "receipts/read", ["conversation_id": .string(conversation), "message_id": .string(first)])
        site.cells[0].endParleyd(SIGTERM)
        let kept = try site.number(events)
        #expect(kept > 0)
        try site.cells[0].startParleyd()
        let back = try site.cells[0].connect(alice.credentials)
        try back.say(in: conversation)
        try eventually("all is published") {
            try site.number(
                """
                SELECT count(*) FROM parley.publishing p JOIN parley.cells c ON c.cell = p.id
                WHERE p.id = 1 AND p.published_through = c.position
                """) == 1 ? () : nil
        }
        #expect(try site.number(events) >= kept)
    }
}
