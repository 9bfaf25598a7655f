import MQTTWire
import ParleyProtocol
import TestSupport
import Testing

/// Files through a door of a gateway, from one person to another, by everything that ends them.
@Suite("Blobs through the door", .ownThreads)
struct BlobTransferTests {
    @Test("a file that a message names is for those who may read it, until it is deleted for all")
    func named() throws {
        let site = try BlobSite()
        let door = try site.door()
        let carol = try site.gateway.client()
        let file = try SealedFile(1_000_000)
        #expect(try door.create(file, in: site.conversation, as: carol).status == 404)
        #expect(try door.create(file, in: site.conversation, as: site.alice).status == 201)
        #expect(try door.create(file, in: site.conversation, as: site.bob).status == 409)
        #expect(try door.append(file, at: 0, as: site.bob).status == 404)
        #expect(try door.append(file, at: 0, as: site.alice).status == 204)
        // No message names it yet.
        #expect(try door.download(file, as: site.bob).status == 404)
        #expect(try door.terminate(file, as: site.bob) == 404)
        let sent = message(site.conversation, ["blobs": [.string(file.id)]])
        try site.alice.accepted("messages/send", sent)
        for client in [site.alice, site.bob] { #expect(try door.download(file, as: client).body == file.bytes) }
        let part = try door.download(file, as: site.bob, "Range: bytes=500000-500009")
        #expect(part.status == 206 && part.body == Array(file.bytes[500_000..<500_010]))
        let (foreign, unknown) = (try door.download(file, as: carol), try door.download(SealedFile(1), as: carol))
        #expect(foreign.status == 404 && foreign.body == unknown.body)
        #expect(try door.terminate(file, as: site.alice) == 409)
        try site.alice.accepted("messages/delete", change(of: sent["id"], in: site.conversation, "delete"))
        for client in [site.alice, site.bob] { #expect(try door.download(file, as: client).status == 404) }
        try site.storage.awaitEmpty()
    }

    @Test("who joins later, and who is removed, has nothing of what was not theirs")
    func members() throws {
        let site = try BlobSite()
        let door = try site.door()
        let carol = try site.gateway.client()
        let group = try site.alice.group(with: site.bob)
        let (before, after) = (try SealedFile(1000), try SealedFile(2000))
        _ = try site.share(before, at: door, in: group)
        try site.alice.accepted(
            "conversations/add-members", ["conversation_id": .string(group), "user_ids": [.string(carol.user)]])
        _ = try site.share(after, at: door, in: group)
        #expect(try door.download(before, as: carol).status == 404)
        #expect(try door.download(after, as: carol).body == after.bytes)
        for client in [site.bob, carol] {
            try site.alice.accepted(
                "conversations/remove-member",
                ["conversation_id": .string(group), "user_id": .string(client.user)])
            for file in [before, after] { #expect(try door.download(file, as: client).status == 404) }
        }
        for file in [before, after] { #expect(try door.download(file, as: site.alice).body == file.bytes) }
    }

    @Test("an account that is deleted takes the files with it that no message names")
    func accounts() throws {
        let site = try BlobSite()
        let door = try site.door()
        let (shared, waiting) = (try SealedFile(1000), try SealedFile(2000))
        _ = try site.share(shared, at: door)
        try #require(try door.create(waiting, in: site.conversation, as: site.alice).status == 201)
        #expect(try door.append(waiting, at: 0, as: site.alice).status == 204)
        _ = try site.alice.ask(
            "account/delete", JSON.object(["id": .string(newID()), "user_id": .string(site.alice.user)]).bytes)
        #expect(site.alice.endsByItself())
        #expect(try door.download(shared, as: site.bob).body == shared.bytes)
        #expect([401, 404].contains(try door.download(waiting, as: site.alice).status))
        try eventually("the end of the file that was not sent") {
            try site.storage.names().count == 1 ? () : nil
        }
        #expect(try door.download(shared, as: site.bob).body == shared.bytes)
    }

    @Test("files end with messages that disappear, and those that no message names after a day", .oneMachine(.clock))
    func time() async throws {
        let host = try TestGateway(start: false)
        try host.startBroker()
        let clock = MovedClock()
        try await host.runInProcess(by: clock) {
            let site = try BlobSite(host)
            let door = try site.door()
            let (brief, waiting, half) = (try SealedFile(1000), try SealedFile(2000), try SealedFile(3000))
            _ = try site.share(brief, at: door, ["expires_in": 3600])
            for file in [waiting, half] {
                try #require(try door.create(file, in: site.conversation, as: site.alice).status == 201)
            }
            #expect(try door.append(waiting, at: 0, as: site.alice).status == 204)
            #expect(try door.download(brief, as: site.bob).body == brief.bytes)
            clock.move(by: 3_700_000)
            #expect(try door.download(brief, as: site.bob).status == 404)
            #expect(try door.download(waiting, as: site.alice).body == waiting.bytes)
            clock.move(by: 86_500_000)
            for file in [waiting, half] {
                #expect(try door.download(file, as: site.alice).status == 404)
                #expect(try door.offset(of: file, as: site.alice) == nil)
            }
            try site.storage.awaitEmpty()
        }
    }
}
