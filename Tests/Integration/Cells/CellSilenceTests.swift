import Foundation
import MQTTClient
import PostgreSQLServer
import TestSupport
import Testing

/// Who was removed, blocked or revoked at one cell, and is connected to another, while the store answers each late at
/// random. Few times here; `PARLEY_CELL_ROUNDS` says how many.
@Suite("Silence across cells", .ownThreads, .postgreSQL)
struct CellSilenceTests {
    private let site: CellSite

    private static func rounds(_ few: Int) -> Int {
        ProcessInfo.processInfo.environment["PARLEY_CELL_ROUNDS"].flatMap(Int.init) ?? few
    }

    init() throws {
        site = try CellSite(proxied: true)
    }

    /// Each cell hears of the other late, by another time with each part of the stream.
    private func delay() { for proxy in site.proxies { proxy.delay(upTo: 3) } }

    @Test("one who is removed from a group hears nothing with a later seq, and nothing after the reply")
    func removal() throws {
        let clients = try site.clients(at: 0, 1, 1)
        let (alice, bob, dave) = (clients[0], clients[1], clients[2])
        let other = try alice.group(with: bob)
        try bob.listen(to: other, "messages")
        delay()
        var count = 0
        for _ in 0..<Self.rounds(15) {
            let group = try alice.group(with: bob, dave)
            for client in [bob, dave] { try client.listen(to: group, "messages") }
            let removal: JSON = ["conversation_id": .string(group), "user_id": .string(bob.user)]
            var ofAlice = try alice.begin(3, in: group)
            let ofDave = try dave.begin(4, in: group)
            let asked = try alice.ask("conversations/remove-member", removal.bytes)
            ofAlice += try alice.begin(3, in: group)
            #expect(try alice.reply(to: asked)["ok"] == true)
            try bob.readAllSent()
            let heard = bob.seqs(in: group)

            _ = try alice.finish(ofAlice) + dave.finish(ofDave)
            let later = [try dave.say(in: group), try alice.say(in: group)]
            let sentinel = try alice.say(in: other)
            try bob.hear(sentinel, in: other)
            #expect(bob.seqs(in: group) == heard, "something came after the reply")
            let history = try alice.accepted(
                "history/get", ["conversation_id": .string(group), "after": 0, "limit": 100])["messages"].elements
            // The one record that nobody has sent.
            let sent = Set(ofAlice + ofDave + later)
            let removedAt = try #require(history.first { !sent.contains($0["id"].text ?? "") }?["seq"].int)
            #expect(heard.allSatisfy { $0 < removedAt }, "\(heard) with a removal at \(removedAt)")
            for id in later { try dave.hear(id, in: group) }
            #expect(dave.seqs(in: group) == Array(1...history.count))
            count += heard.count
            for client in clients { _ = client.takeAll() }
        }
        #expect(count > 0, "something came before a removal")
    }

    @Test("who leaves a group and comes back within a cell's lag hears nothing of what came between")
    func readmission() throws {
        let clients = try site.clients(at: 0, 1, 1)
        let (alice, bob, dave) = (clients[0], clients[1], clients[2])
        let tablet = try site.cells[0].connect(try site.cells[0].device("tablet", of: bob.user))
        let group = try alice.accepted(
            "groups/create", ["id": .string(newID()), "name": "Runners", "time_zone": "UTC"])
        let conversation = try #require(group["conversation_id"].text)
        let invite = try alice.accepted("invites/create", ["group_id": group["id"]])["token"]
        for client in [bob, dave] {
            try client.accepted("invites/accept", ["token": invite])
            try client.listen(to: conversation, "messages")
        }
        let first = try alice.say(in: conversation)
        for client in [bob, dave] { try client.hear(first, in: conversation) }

        // The other cell reads the leaving, what follows, and the return at once.
        site.proxies[1].hold()
        let leave: JSON = ["conversation_id": .string(conversation)]
        let left = try tablet.ask("conversations/leave", leave.bytes)
        try tablet.readAllSent()
        let between = try alice.begin(3, in: conversation)
        _ = try alice.finish(between)
        let accept: JSON = ["token": invite]
        let accepted = try tablet.ask("invites/accept", accept.bytes)
        // The requests of a device are answered in order: the return is committed.
        _ = try tablet.finish(try tablet.begin(1, in: conversation))
        let last = try alice.begin(1, in: conversation)
        _ = try alice.finish(last)
        site.proxies[1].release()
        for request in [left, accepted] {
            let reply = try tablet.reply(to: request)
            #expect(reply["ok"] == true, "\(reply)")
        }
        for client in [bob, dave] { try client.hear(last[0], in: conversation) }

        #expect(Set(between).isDisjoint(with: bob.ids(in: conversation)), "heard while no member")
        #expect(Set(between).isSubset(of: dave.ids(in: conversation)))
    }

    @Test("a removal that is repeated at another cell is answered when it is in force in all of them")
    func repeatedRemoval() throws {
        let site = try CellSite(3, proxied: true)
        let clients = try site.clients(at: 0, 2)
        let (alice, bob) = (clients[0], clients[1])
        let tablet = try site.cells[1].connect(try site.cells[0].device("tablet", of: alice.user))
        let other = try tablet.group(with: bob)
        // The third cell is not waited for when its lease is over. A busy machine may be that late, but not each time.
        for _ in 0..<10 {
            let group = try alice.group(with: bob)
            let heldAt = ContinuousClock.now
            site.proxies[2].hold()
            let removal: JSON = ["conversation_id": .string(group), "user_id": .string(bob.user)]
            let first = try alice.ask("conversations/remove-member", removal.bytes)
            _ = try alice.finish(try alice.begin(1, in: group))
            let again = try tablet.ask("conversations/remove-member", removal.bytes)
            _ = try tablet.finish(try tablet.begin(1, in: other))
            let isAnswered = tablet.inbox.contains { $0.correlation == again }
            let isInTime = heldAt.duration(to: .now) < .seconds(2)
            site.proxies[2].release()
            for (device, request) in [(alice, first), (tablet, again)] {
                #expect(try device.reply(to: request)["ok"] == true)
            }
            guard !isInTime else {
                #expect(!isAnswered)
                return
            }
        }
        Issue.record("the machine is too busy for this test")
    }

    @Test("who blocks hears nothing more of the other at any cell after the reply")
    func block() throws {
        let clients = try site.clients(at: 0, 1, 1)
        let (alice, bob, dave) = (clients[0], clients[1], clients[2])
        let tablet = try site.cells[1].connect(try site.cells[0].device("tablet", of: alice.user))
        let conversation = try alice.conversation(with: bob.user)
        let other = try alice.conversation(with: dave.user)
        let devices = [alice, tablet]
        for device in devices {
            try device.listen(to: conversation, "messages")
            try device.listen(to: other, "messages")
        }
        delay()
        let named: JSON = ["user_id": .string(bob.user)]
        var count = 0
        for _ in 0..<Self.rounds(15) {
            try alice.say(in: conversation)
            let before = try bob.begin(3, in: conversation)
            let asked = try alice.ask("social/block", named.bytes)
            let after = try bob.begin(3, in: conversation)
            #expect(try alice.reply(to: asked)["ok"] == true)
            for device in devices { try device.readAllSent() }
            let heard = devices.map { $0.seqs(in: conversation) }

            _ = try bob.finish(before + after)
            _ = try bob.finish(try bob.begin(1, in: conversation))
            let sentinel = try dave.say(in: other)
            for (device, heard) in zip(devices, heard) {
                try device.hear(sentinel, in: other)
                #expect(device.seqs(in: conversation) == heard, "something came after the reply")
                count += heard.count
                _ = device.takeAll()
            }
            try alice.accepted("social/unblock", named)
            _ = bob.takeAll()
        }
        #expect(count > 0, "something came before a block")
    }

    @Test("a device that is revoked at one cell is shut out at the other before the reply")
    func revocation() throws {
        let (alice, bob, conversation) = try site.pair(at: 0, 0)
        let tablets = try (0..<Self.rounds(8)).map { number in
            let tablet = try site.cells[1].connect(try site.cells[0].device("tablet\(number)", of: bob.user))
            try tablet.listen(to: conversation, "messages")
            return tablet
        }
        delay()
        for tablet in tablets {
            let before = try alice.begin(3, in: conversation)
            let asked = try bob.ask("devices/revoke", (["device_id": .string(tablet.device)] as JSON).bytes)
            let meanwhile = try alice.begin(3, in: conversation)
            #expect(try bob.reply(to: asked)["ok"] == true)
            let after = try alice.say(in: conversation)
            _ = try alice.finish(before + meanwhile)
            // Its connection ends, and what has come before is all that ever comes.
            try tablet.readToEnd()
            #expect(!tablet.inbox.contains { $0.json["data"]["id"].text == after })
            for cell in site.cells {
                #expect(throws: MQTTError.refused(ReasonCode(rawValue: 0x87))) {
                    try cell.connect(tablet.credentials, DeviceClient.Options(connection: "again"))
                }
            }
        }
    }
}
