import Foundation
import TestSupport
import Testing

/// What brokers retain when several cells change it.
@Suite("State across cells", .ownThreads, .postgreSQL)
struct CellStateTests {
    private static let rounds = ProcessInfo.processInfo.environment["PARLEY_CELL_ROUNDS"].flatMap(Int.init) ?? 10

    /// The name of a group that the broker retains for whoever comes.
    private func retainedName(_ client: DeviceClient, of group: String) throws -> String? {
        try client.listen(to: group, "info")
        return try client.take("info of the group") {
            $0.isRetained && $0.topic == "parley/v1/conversations/\(group)/info"
        }.json["data"]["name"].text
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
                    name = try retainedName(client, of: group)
                    let query = "SELECT count(*) FROM parley.conversations WHERE name = '\(name ?? "")'"
                    return try site.number(query) == 1 ? () : nil
                }
                _ = client.takeAll()
            }
        }
    }
}
