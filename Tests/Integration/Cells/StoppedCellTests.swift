import Glibc
import Launch
import ParleyProtocol
import PostgreSQL
import PostgreSQLServer
import TestSupport
import Testing

/// A cell that others go on without: it was stopped, or another process runs under its name.
@Suite("Cells that were away", .ownThreads, .postgreSQL)
struct StoppedCellTests {
    @Test("a cell that stood still lets nobody hear what they lost the right to, and writes nothing of theirs")
    func stopped() throws {
        let site = try CellSite()
        let clients = try site.clients(at: 0, 1, 1)
        let (alice, bob, dave) = (clients[0], clients[1], clients[2])
        let (group, other) = (try alice.group(with: bob, dave), try alice.group(with: bob))
        for client in [bob, dave] { try client.listen(to: group, "messages") }
        try bob.listen(to: other, "messages")
        var known = try alice.begin(3, in: group)
        _ = try alice.finish(known)
        let still = [site.cells[1].parleyd, site.cells[1].broker].compactMap { $0 }

        // Some of these are taken before the cell stands still, the others after.
        let ofBob = try bob.begin(8, in: group)
        for process in still { process.send(SIGSTOP) }
        let late = try bob.begin(4, in: group)
        let begin = ContinuousClock.now
        // A busy machine may let the lease of the cell that goes on lapse, too.
        let removal: JSON = ["conversation_id": .string(group), "user_id": .string(bob.user)]
        try eventually("the removal") {
            try alice.request("conversations/remove-member", removal)["ok"] == true ? () : nil
        }
        #expect(begin.duration(to: .now) < .seconds(30), "the others wait for a lease, and no longer")
        known += [try alice.say(in: group), try alice.say(in: group)]
        let last = known.last ?? ""
        for process in still { process.send(SIGCONT) }

        // A broker that stood still may also end the connections of its devices.
        let isDaveThere = try dave.hears(last, in: group)
        let sentinel = try alice.say(in: other)
        let isBobThere = try bob.hears(sentinel, in: other)
        let replies = isBobThere ? try bob.finish(ofBob + late) : []
        let history = try alice.accepted(
            "history/get", ["conversation_id": .string(group), "after": 0, "limit": 100])["messages"].elements
        let sent = Set(known + ofBob + late)
        let removedAt = try #require(history.first { !sent.contains($0["id"].text ?? "") }?["seq"].int)
        let written = history.filter { $0["sender_id"].text == bob.user }.compactMap { $0["seq"].int }
        #expect(written.allSatisfy { $0 < removedAt })
        let accepted = replies.filter { $0["ok"] == true }.compactMap { $0["data"]["seq"].int }.sorted()
        #expect(accepted == written || !isBobThere)
        #expect(bob.seqs(in: group).allSatisfy { $0 < removedAt })
        // What the broker had not acknowledged is published again, and known by its seq.
        let heard = dave.seqs(in: group).reduce(into: [Int]()) { if !$0.contains($1) { $0.append($1) } }
        #expect(heard == Array((1...history.count).prefix(isDaveThere ? history.count : heard.count)))
    }

    @Test("a cell whose broker hangs is not waited for longer than its lease, and follows again when that goes on")
    func hungBroker() throws {
        let site = try CellSite()
        let clients = try site.clients(at: 0, 1, 1)
        let (alice, bob, dave) = (clients[0], clients[1], clients[2])
        let group = try bob.group(with: alice, dave)
        try alice.listen(to: group, "messages")
        let broker = try #require(site.cells[0].broker)
        broker.send(SIGSTOP)
        let begin = ContinuousClock.now
        try bob.accepted(
            "conversations/remove-member", ["conversation_id": .string(group), "user_id": .string(alice.user)])
        // The keep alive alone would notice it after a minute and more.
        #expect(begin.duration(to: .now) < .seconds(30))
        let late = try bob.say(in: group)
        broker.send(SIGCONT)
        try alice.readToEnd()
        #expect(!alice.ids(in: group).contains(late))

        let back = try site.cells[0].connect(alice.credentials)
        #expect(try back.subscribe("parley/v1/conversations/\(group)/messages") == 0x87)
        let other = try back.group(with: dave)
        try dave.listen(to: other, "messages")
        try dave.hear(try back.say(in: other), in: other)
    }

    @Test("a gateway that was killed lets nobody hear by what its broker knew before, though it is back at once")
    func killedAndBack() throws {
        let site = try CellSite()
        let clients = try site.clients(at: 0, 1)
        var alice = clients[0]
        let bob = clients[1]
        for _ in 0..<4 {
            let group = try bob.group(with: alice)
            try alice.listen(to: group, "messages")
            site.cells[0].endParleyd(SIGKILL)
            try site.cells[0].launchParleyd()
            try bob.accepted(
                "conversations/remove-member", ["conversation_id": .string(group), "user_id": .string(alice.user)])
            let isGranted = try? alice.subscribe("parley/v1/conversations/\(group)/messages") < 0x80
            #expect(isGranted != true, "after the reply")
            try site.cells[0].awaitReady()
            alice.disconnect()
            alice = try site.cells[0].connect(alice.credentials)
        }
    }

    @Test(
        "what a cell had not read when the others went on without it is refused, as it was asked elsewhere",
        arguments: [SIGSTOP, SIGKILL])
    func lateRequests(_ signal: Int32) throws {
        let site = try CellSite()
        let clients = try site.clients(at: 0, 1)
        let (alice, bob) = (clients[0], clients[1])
        let named: JSON = ["user_id": .string(alice.user)]
        try bob.accepted("social/block", named)
        let parleyd = try #require(site.cells[1].parleyd)
        if signal == SIGKILL { site.cells[1].endParleyd(SIGKILL) } else { parleyd.send(signal) }
        _ = try bob.ask("social/unblock", named.bytes)
        try bob.readAllSent()
        // The lease is over: the plugin ends the connection.
        try bob.readToEnd()
        let moved = try site.cells[0].connect(bob.credentials)
        try moved.accepted("social/unblock", named)
        try moved.accepted("social/block", named)
        if signal == SIGKILL { try site.cells[1].startParleyd() } else { parleyd.send(SIGCONT) }

        // The cell lets devices in again, and has read what came before them.
        let back = try site.cells[1].connect(bob.credentials)
        _ = try eventually("a request that is taken") {
            try back.request("social/follow", ["user_id": .string(bob.user)])["error"]["code"] == "unavailable"
                ? nil : ()
        }
        #expect(try site.number("SELECT count(*)::bigint FROM parley.blocks") == 1)
    }

    @Test("a second process of the same cell replaces the first, which ends with status 78 and says why")
    func replaced() throws {
        let site = try CellSite()
        let (_, bob, conversation) = try site.pair()
        try bob.say(in: conversation)
        let first = try #require(site.cells[0].parleyd)
        let rival = try CellSite.gateway("cell1", site.database.uri)
        try rival.copyKeys(from: site.cells[0])
        try rival.startBroker()
        try rival.startParleyd()
        #expect(try first.awaitEnd("the first process") == 78)
        #expect(site.cells[0].log.contains("another process runs as the cell cell1 now"))
        // The other cell and the new one go on.
        let carol = try rival.client()
        let group = try carol.group(with: bob)
        try bob.listen(to: group, "messages")
        let id = try carol.say(in: group)
        try bob.hear(id, in: group)
    }

    @Test("one that stood still while it was replaced writes nothing in the name of its cell any more")
    func replacedWhileStopped() throws {
        let site = try CellSite()
        let (alice, bob, conversation) = try site.pair()
        for client in [alice, bob] { try client.listen(to: conversation, "messages") }
        let first = try #require(site.cells[0].parleyd)
        let before = try alice.begin(8, in: conversation)
        first.send(SIGSTOP)
        let late = try alice.begin(4, in: conversation)
        let rival = try CellSite.gateway("cell1", site.database.uri)
        try rival.copyKeys(from: site.cells[0])
        try rival.startBroker()
        try rival.startParleyd()
        let marks = "SELECT sum(position + audience_position)::bigint FROM parley.cell_marks WHERE reader = 1"
        let last = try bob.say(in: conversation)
        let moved = try rival.connect(alice.credentials)
        try moved.listen(to: conversation, "messages")
        let request: JSON = ["conversation_id": .string(conversation), "after": 0, "limit": 100]
        let history = try moved.accepted("history/get", request)["messages"].elements
        let known = try site.number(marks)
        first.send(SIGCONT)
        #expect(try first.awaitEnd("the first process") == 78)
        #expect(try site.number(marks) >= known)
        #expect(try moved.accepted("history/get", request)["messages"].elements == history)
        #expect(history.last?["id"].text == last)
        #expect(history.allSatisfy { !late.contains($0["id"].text ?? "") })
        #expect(history.filter { before.contains($0["id"].text ?? "") }.count == history.count - 1)
    }
}
