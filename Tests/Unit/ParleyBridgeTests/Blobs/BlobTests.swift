import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Blobs, announced and named", .onEveryStore)
struct BlobTests {
    private let world: SocialWorld
    private let group: ConversationID
    private let blob = BlobID.random()
    private static let day: Int64 = 86_400_000

    /// alice, bob and carol have a group.
    init() throws {
        world = try SocialWorld(privacy: .anyone) { settings in
            settings.blobBytes = 1_048_576
            settings.blobBytesPerDay = 1_048_576
            settings.blobsOpen = 3
        }
        try world.test.addDoor()
        group = try world.test.conversation(["alice", "bob", "carol"])
    }

    @discardableResult
    private func create(
        _ id: BlobID, size: Int = 100, digest: UInt8 = 6, in conversation: ConversationID? = nil,
        by user: UserID = "alice",
        _ name: DeviceID = "phone", now: Timestamp = at(0)
    ) throws -> SocialWorld.Result {
        let command = CreateBlob(
            id: id, conversation: conversation ?? group, size: size,
            digest: try #require(BlobDigest([UInt8](repeating: digest, count: 32))))
        return try world.result(of: try request(command, from: device(user, name)), now: now)
    }

    private func send(
        _ blobs: [BlobID], id: MessageID = .random(), in conversation: ConversationID? = nil, by user: UserID = "alice",
        expiresIn: Int? = nil, now: Timestamp = at(0)
    ) throws -> SocialWorld.Result {
        let message = SendMessage(
            id: id, conversation: conversation ?? group, type: .file, suite: .naclBox,
            content: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 9, count: 24), expiresIn: expiresIn,
            blobs: blobs)
        return try world.result(of: try request(message, from: device(user, "phone")), now: now)
    }

    private func get(_ id: BlobID, by user: UserID, now: Timestamp = at(0)) throws -> Published {
        try world.read(GetBlob.self, by: user, #"{"id":"\#(id)"}"#, now: now)
    }

    private func delete(_ id: BlobID, by user: UserID = "alice", now: Timestamp = at(0)) throws -> String? {
        try world.ask(DeleteBlob.self, by: user, #"{"id":"\#(id)"}"#, now: now).code
    }

    private func collect(_ known: [BlobID] = [], removed: [BlobID] = []) throws -> BlobCollection {
        let command = CollectBlobs(known: known, removed: removed)
        return try world.result(of: try request(command, from: device("web", "door"))).reply.value()
    }

    @Test("a blob is its maker's until a message names it, and then of all who may read that message")
    func announcedAndNamed() throws {
        let made = try create(blob).reply.value(Blob.self)
        #expect(made.id == blob && made.conversation == group && made.size == 100)
        #expect(made.createdAt == at(0) && made.expiresAt == at(Self.day))
        #expect(try get(blob, by: "alice").value(Blob.self) == made)
        #expect(try get(blob, by: "bob").code == "not_found")
        #expect(try send([blob]).code == nil)
        for user in ["alice", "bob", "carol"] as [UserID] {
            let named = try get(blob, by: user, now: at(Self.day * 9)).value(Blob.self)
            #expect(named.expiresAt == nil && named.digest == made.digest)
        }
        // The answer to nothing is the same, to the byte.
        #expect(try get(.random(), by: "bob").payload == get(.random(), by: "carol").payload)
    }

    @Test("a repeat gets the blob again, and another's use of its id, or other content, is a conflict")
    func repeats() throws {
        let first = try create(blob)
        #expect(try create(blob, now: at(5)).reply.payload == first.reply.payload)
        #expect(try create(blob, size: 101).code == "conflict")
        #expect(try create(blob, digest: 7).code == "conflict")
        #expect(try create(blob, by: "alice", "laptop").code == "conflict")
        #expect(try create(blob, by: "bob").code == "conflict")
        #expect(try world.test.text("SELECT count(*) FROM blobs") == "1")
    }

    @Test("a message that names blobs is repeated as it was, and the blobs are part of what it is")
    func repeatedMessage() throws {
        try create(blob)
        let id = MessageID.random()
        let first = try send([blob], id: id)
        #expect(first.code == nil)
        #expect(try send([blob], id: id).reply.payload == first.reply.payload)
        #expect(try send([], id: id).code == "conflict")
        // Of another message it is not.
        #expect(try send([blob]).code == "not_found")
        #expect(try world.test.text("SELECT count(*) FROM records") == "1")
    }

    @Test("nobody names what is another's, of another conversation, gone or unknown, and then nothing is sent")
    func foreign() throws {
        let other = try world.test.conversation(["alice", "bob"])
        let (elsewhere, deleted) = (BlobID.random(), BlobID.random())
        try create(blob)
        try create(elsewhere, in: other)
        try create(deleted)
        #expect(try delete(deleted) == nil)
        for id in [elsewhere, deleted, .random()] { #expect(try send([blob, id]).code == "not_found") }
        #expect(try send([blob], by: "bob").code == "not_found")
        #expect(try world.test.text("SELECT count(*) FROM records") == "0")
        #expect(try create(.random(), in: other, by: "carol").code == "not_found")
        #expect(try create(.random(), in: .random()).code == "not_found")
    }

    @Test("two messages of one batch do not name the same blob")
    func sameBatch() throws {
        try create(blob)
        func message() throws -> IncomingCommand {
            let message = SendMessage(
                id: .random(), conversation: group, type: .file, suite: .naclBox,
                content: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 9, count: 24), blobs: [blob])
            return try request(message, from: device("alice", "phone"))
        }
        let outcome = world.test.carryOut([try message(), try message()])
        #expect(try outcome.effects.outgoing.replies.map(\.code) == [nil, "not_found"])
    }

    @Test("a message that is deleted for all takes its blobs with it")
    func deletedForAll() throws {
        try create(blob)
        let message = MessageID.random()
        _ = try send([blob], id: message)
        #expect(try delete(blob) == "conflict")
        let fields = #"{"id":"\#(MessageID.random())","conversation_id":"\#(group)","message_id":"\#(message)"}"#
        #expect(try world.ask(DeleteMessage.self, by: "alice", fields).code == nil)
        for user in ["alice", "bob"] as [UserID] { #expect(try get(blob, by: user).code == "not_found") }
        #expect(try delete(blob) == "not_found")
        #expect(try create(blob).code == "conflict")
        #expect(try collect([blob]) == BlobCollection(gone: [blob], unknown: []))
    }

    @Test("the blobs of a message that disappears disappear with it")
    func disappearing() throws {
        try create(blob)
        _ = try send([blob], expiresIn: 60, now: at(1000))
        #expect(try get(blob, by: "bob", now: at(60_999)).value(Blob.self).expiresAt == at(61_000))
        #expect(try get(blob, by: "bob", now: at(61_000)).code == "not_found")
        #expect(try collect() == BlobCollection(gone: [], unknown: []))
        _ = world.test.writer.run(BlobRemovalDuty.self, now: at(61_000))
        #expect(try collect() == BlobCollection(gone: [blob], unknown: []))
    }

    @Test("a blob that no message names is over in its time")
    func unnamed() throws {
        // At first an earlier process may have left work.
        _ = world.test.writer.run(BlobRemovalDuty.self, now: at(0))
        #expect(world.test.writer.wait(for: BlobRemovalDuty.self, now: at(0)) == nil)
        try create(blob)
        #expect(world.test.writer.wait(for: BlobRemovalDuty.self, now: at(0)) == .seconds(86_400))
        #expect(try get(blob, by: "alice", now: at(Self.day)).code == "not_found")
        #expect(try send([blob], now: at(Self.day)).code == "not_found")
        _ = world.test.writer.run(BlobRemovalDuty.self, now: at(Self.day))
        #expect(try collect().gone == [blob])
    }

    @Test("the removal is bounded, goes on at once, and forgets in the end what no door reports")
    func removal() throws {
        let most = BlobRemovalDuty.atOnce
        try world.test.store.write { transaction in
            let key = try #require(try transaction.facts.conversations.conversation(group)).key
            let digest = try #require(BlobDigest([UInt8](repeating: 6, count: 32)))
            for _ in 0...most {
                let blob = Blob(
                    id: .random(), conversation: group, size: 17, digest: digest, createdAt: at(0), expiresAt: at(1))
                try transaction.blobs.insert(
                    StoredBlob(blob: blob, maker: "alice", disappearsAt: at(1)), in: key,
                    digest: [UInt8](repeating: 2, count: 16))
            }
        }
        let writer = world.test.writer
        _ = writer.run(BlobRemovalDuty.self, now: at(1000))
        func gone() throws -> String? { try world.test.text("SELECT count(*) FROM gone_blobs") }
        #expect(try gone() == "\(most)")
        _ = writer.run(BlobRemovalDuty.self, now: at(1100))
        #expect(try gone() == "\(most + 1)")
        #expect(try collect().gone.count == Limits.collectedBlobs)
        let later = at(1101 + Self.day * 30)
        #expect(writer.isDue(BlobRemovalDuty.self, now: later))
        _ = writer.run(BlobRemovalDuty.self, now: later)
        _ = writer.run(BlobRemovalDuty.self, now: later.advanced(byMilliseconds: 100))
        #expect(try gone() == "0")
        #expect(try world.test.text("SELECT count(*) FROM blobs") == "0")
    }

    @Test("a door hears which files are unknown and which are to be removed, and no other file gets their ids")
    func collecting() throws {
        let stranger = BlobID.random()
        let kept = BlobID.random()
        try create(blob)
        try create(kept)
        #expect(try collect([blob, stranger, kept]) == BlobCollection(gone: [], unknown: [stranger]))
        #expect(try delete(blob) == nil)
        // Only what is gone is removed.
        #expect(try collect([blob, kept], removed: [kept, stranger]) == BlobCollection(gone: [blob], unknown: []))
        #expect(try collect([blob, kept], removed: [blob]) == BlobCollection(gone: [], unknown: []))
        #expect(try collect([blob, kept]) == BlobCollection(gone: [], unknown: [blob]))
        #expect(try delete(blob) == "not_found")
        // An upload of the one before may still be under way.
        #expect(try create(blob).code == "conflict")
        let foreign = try world.ask(CollectBlobs.self, by: "alice", "{}")
        #expect(foreign.code == "forbidden")
        let door = try request(
            CreateBlob.self,
            "{\"id\":\"\(BlobID.random())\",\"conversation_id\":\"\(group)\","
                + "\"size\":17,\"digest\":\"\(Base64.encode([UInt8](repeating: 1, count: 32)))\"}",
            from: device("web", "door"))
        #expect(try world.result(of: door).code == "forbidden")
        let console = try request(DeleteBlob(id: blob), from: device("operator", "console"))
        #expect(try world.result(of: console).code == "forbidden")
    }

    @Test("only its maker deletes a blob, and the room is there again")
    func deleting() throws {
        let ids = (0..<3).map { _ in BlobID.random() }
        for id in ids { #expect(try create(id).code == nil) }
        let refused = try create(.random()).reply
        #expect(refused.code == "rate_limited" && refused.retryAfter == Int(Self.day))
        #expect(try delete(ids[0], by: "bob") == "not_found")
        #expect(try delete(ids[0]) == nil)
        #expect(try delete(ids[0]) == "not_found")
        #expect(try create(.random()).code == nil)
        #expect(try send([ids[1]]).code == nil)
        #expect(try create(.random()).code == nil)
        #expect(try create(.random()).code == "rate_limited")
        #expect(try create(.random(), by: "bob").code == nil)
    }

    @Test("a day's bytes are bounded, and come back in the course of a day; what is refused costs none")
    func dailyBytes() throws {
        #expect(try create(.random(), size: 1_048_576 + 5121).code == "too_large")
        #expect(try create(blob, size: 1_048_576).code == nil)
        // It costs no more when it is repeated, and nothing comes back when it is deleted.
        #expect(try create(blob, size: 1_048_576).code == nil)
        #expect(try delete(blob) == nil)
        let refused = try create(.random(), size: 17).reply
        #expect(refused.code == "rate_limited" && (refused.retryAfter ?? 0) > 0)
        #expect(try create(.random(), size: 17, by: "bob").code == nil)
        #expect(try create(.random(), size: 17, now: at(Self.day)).code == nil)
    }

    @Test("what was sent before somebody joined, and after they left, is not theirs")
    func members() throws {
        let (before, within, after) = (BlobID.random(), BlobID.random(), BlobID.random())
        let group = try world.test.conversation(["alice", "bob"])
        try world.test.execute("UPDATE members SET role = 'admin' WHERE user = 'alice'")
        func share(_ id: BlobID) throws {
            try create(id, in: group)
            #expect(try send([id], in: group).code == nil)
        }
        try share(before)
        let names = #""conversation_id":"\#(group)""#
        #expect(try world.ask(AddMembers.self, by: "alice", #"{\#(names),"user_ids":["carol"]}"#).code == nil)
        try share(within)
        #expect(try get(before, by: "carol").code == "not_found")
        #expect(try get(within, by: "carol").code == nil)
        #expect(try world.ask(RemoveMember.self, by: "alice", #"{\#(names),"user_id":"carol"}"#).code == nil)
        try share(after)
        for id in [before, within, after] { #expect(try get(id, by: "carol").code == "not_found") }
        for id in [before, within, after] { #expect(try get(id, by: "bob").code == nil) }
    }

    @Test("who is blocked announces and sends as a stranger whose request is spent, and the blocker sees nothing of it")
    func blocked() throws {
        let world = try SocialWorld()
        try world.befriend("alice", "bob")
        try world.create(by: "alice", with: "bob")
        let direct = try ConversationID.direct(["alice", "bob"])
        let digest = try #require(BlobDigest([UInt8](repeating: 6, count: 32)))
        func create(_ id: BlobID, by user: UserID) throws -> String? {
            let command = CreateBlob(id: id, conversation: direct, size: 100, digest: digest)
            return try world.result(of: try request(command, from: device(user, "phone"))).code
        }
        #expect(try create(.random(), by: "alice") == nil)
        try world.ask(Block.self, by: "bob", of: "alice")
        #expect(try create(.random(), by: "alice") == world.write("alice", to: "bob").code)
        #expect(try create(.random(), by: "bob") == "blocked")
    }

    @Test("what is kept for its sender alone, because the other blocks them, has blobs that the other never gets")
    func withheld() throws {
        let world = try SocialWorld()
        // A stranger whom bob blocks may send one message, which is shown to nobody.
        try world.ask(Block.self, by: "bob", of: "alice")
        try world.create(by: "alice", with: "bob")
        let direct = try ConversationID.direct(["alice", "bob"])
        let command = CreateBlob(
            id: blob, conversation: direct, size: 100,
            digest: try #require(BlobDigest([UInt8](repeating: 6, count: 32))))
        let phone = device("alice", "phone")
        #expect(try world.result(of: try request(command, from: phone)).code == nil)
        let message = SendMessage(
            id: .random(), conversation: direct, type: .file, suite: .naclBox,
            content: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 9, count: 24), blobs: [blob])
        #expect(try world.result(of: try request(message, from: phone)).code == nil)
        #expect(try world.test.text("SELECT withheld FROM records") == "1")
        let get = #"{"id":"\#(blob)"}"#
        #expect(try world.read(GetBlob.self, by: "alice", get).code == nil)
        try world.ask(Unblock.self, by: "bob", of: "alice")
        try world.create(by: "bob", with: "alice")
        #expect(try world.read(GetBlob.self, by: "bob", get).code == "not_found")
    }
}
