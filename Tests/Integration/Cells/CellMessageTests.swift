import PostgreSQLServer
import TestSupport
import Testing

/// What is said at one cell, and heard at another.
@Suite("Messages across cells", .ownThreads, .postgreSQL)
struct CellMessageTests {
    @Test("a message that is sent at one cell is heard at the other once, in the order of seq")
    func heardOnce() throws {
        let site = try CellSite()
        let (alice, bob, conversation) = try site.pair()
        try alice.listen(to: conversation, "messages")
        try bob.listen(to: conversation, "messages")
        for _ in 0..<5 { _ = try alice.finish(try alice.begin(8, in: conversation)) }
        for _ in 0..<5 { _ = try bob.finish(try bob.begin(8, in: conversation)) }
        let last = try alice.say(in: conversation)
        for client in [alice, bob] {
            try client.hear(last, in: conversation)
            #expect(client.seqs(in: conversation) == Array(1...81))
        }
    }

    @Test("two cells that write to one conversation at once leave no hole, and all hear the same order")
    func atOnce() throws {
        let site = try CellSite()
        let clients = try site.clients(at: 0, 1, 0, 1)
        let (alice, bob) = (clients[0], clients[1])
        let group = try alice.group(with: bob, clients[2], clients[3])
        for client in clients { try client.listen(to: group, "messages") }
        for _ in 0..<25 {
            let (ofAlice, ofBob) = (try alice.begin(8, in: group), try bob.begin(8, in: group))
            let replies = try alice.finish(ofAlice) + bob.finish(ofBob)
            #expect(replies.allSatisfy { $0["ok"] == true })
        }
        // At each cell the last of its own stream and of the other's.
        let last = [try alice.say(in: group), try bob.say(in: group)]
        for client in clients {
            for id in last { try client.hear(id, in: group) }
            #expect(client.seqs(in: group) == Array(1...402))
        }
        let ids = clients.map { $0.events(on: "conversations/\(group)/messages").map { $0["data"]["id"] } }
        #expect(Set(ids).count == 1)
    }

    @Test("a group that trains together is heard at each cell by its members, as soon as they are answered")
    func trainingGroup() throws {
        let site = try CellSite(settings: TestGateway.roomy.with(["groups_per_user": 100]))
        let clients = try site.clients(at: 0, 1)
        let (alice, bob) = (clients[0], clients[1])
        // Each time its conversation and its topics come to be known together.
        for _ in 0..<8 {
            let fields: JSON = ["id": .string(newID()), "name": "Runners", "time_zone": "UTC"]
            let group = try #require(try alice.accepted("groups/create", fields)["id"].text)
            #expect(try alice.subscribe("parley/v1/groups/\(group)/events") == 1)
            let token = try alice.accepted("invites/create", ["group_id": .string(group)])["token"]
            try bob.accepted("invites/accept", ["token": token])
            #expect(try bob.subscribe("parley/v1/groups/\(group)/events") == 1)
            try alice.accepted("groups/update", ["group_id": .string(group), "name": "Walkers"])
            for client in [alice, bob] {
                #expect(try client.event("group.updated", on: "groups/\(group)/events")["name"] == "Walkers")
            }
        }
    }

    @Test("a device that moves to another cell finds its replies, its history and its rights there")
    func moving() throws {
        let site = try CellSite()
        let (alice, bob, conversation) = try site.pair()
        for (client, cell) in [(alice, "cell1"), (bob, "cell2")] {
            try client.subscribe("parley/v1/gateway/status")
            let status = try client.take("the status of a cell") { $0.topic == "parley/v1/gateway/status" }
            #expect(status.json["data"]["cell"] == .string(cell))
        }
        try alice.say(in: conversation)
        alice.disconnect()
        let moved = try site.cells[1].connect(alice.credentials)
        try moved.listen(to: conversation, "messages")
        let request: JSON = ["conversation_id": .string(conversation), "after": 0, "limit": 10]
        #expect(try moved.accepted("history/get", request)["messages"].elements.count == 1)
        let last = try bob.say(in: conversation)
        try moved.hear(last, in: conversation)
        // The first may have been on its way there.
        #expect([[2], [1, 2]].contains(moved.seqs(in: conversation)))
    }

    @Test("a message to somebody who is connected to another cell is no work for pushes")
    func connectedElsewhere() throws {
        let site = try CellSite()
        let (alice, bob, conversation) = try site.pair()
        for client in [alice, bob] { try client.listen(to: conversation, "messages") }
        // Each cell has heard the other, and so knows that there is one.
        for (speaker, hearer) in [(bob, alice), (alice, bob)] {
            try hearer.hear(try speaker.say(in: conversation), in: conversation)
        }
        let sessions = "SELECT count(*) FROM parley.sessions"
        try eventually("both are known to be connected") { try site.number(sessions) >= 2 ? () : nil }
        let last = "SELECT coalesce(pg_sequence_last_value('parley.push_events_key_seq'), 0)"
        let before = try site.number(last)
        for _ in 0..<5 { try bob.hear(try alice.say(in: conversation), in: conversation) }
        #expect(try site.number(last) == before)
    }

    @Test("with every notification lost all is heard within half a second")
    func lostDoorbells() throws {
        let site = try CellSite(proxied: true)
        for proxy in site.proxies { proxy.dropNotifications() }
        let (alice, bob, conversation) = try site.pair()
        for client in [alice, bob] { try client.listen(to: conversation, "messages") }
        var times: [Duration] = []
        for round in 0..<20 {
            let (sender, receiver) = round.isMultiple(of: 2) ? (alice, bob) : (bob, alice)
            let begin = ContinuousClock.now
            let id = try sender.say(in: conversation)
            try receiver.hear(id, in: conversation)
            times.append(begin.duration(to: .now))
        }
        #expect(bob.seqs(in: conversation) == Array(1...20))
        #expect(site.proxies.reduce(0) { $0 + $1.droppedCount } > 0, "there were notifications to lose")
        // On a machine that builds at the same time some rounds take longer than the cells do.
        #expect(times.sorted()[14] < .milliseconds(500), "\(times.sorted())")
    }
}
