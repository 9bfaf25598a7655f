import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("For how long messages are kept", .onEveryStore)
struct RetentionTests {
    private let console = device("operator", "console")

    private func world(days: Int = 0) throws -> SocialWorld {
        let world = try SocialWorld(privacy: .anyone) { $0.retentionDays = days }
        _ = try world.test.conversation(["alice", "bob", "carol"], id: CommandExample.group)
        _ = try world.test.conversation(["alice", "bob", "carol"], id: CommandExample.bystanders)
        return world
    }

    /// Two messages a day in each conversation, for four days.
    private func live(_ world: SocialWorld) throws {
        for day in 0..<4 {
            for conversation in [CommandExample.group, CommandExample.bystanders] {
                for _ in 0..<2 {
                    let outcome = world.test.carryOut([try send(conversation)], now: at(.days(day) + .seconds(1)))
                    #expect(try outcome.effects.outgoing.replies.first?.isOK == true)
                }
            }
        }
    }

    private func run(_ world: SocialWorld, now: Timestamp) {
        var now = now
        for _ in 0..<40 {
            world.test.writer.run(RetentionDuty.self, now: now)
            now = now.advanced(by: .milliseconds(200))
        }
    }

    private func kept(_ world: SocialWorld, in conversation: ConversationID) throws -> String? {
        try world.test.text(
            "SELECT count(*) FROM records r JOIN conversations c ON c.key = r.conversation "
                + "WHERE r.content IS NOT NULL AND c.epoch IS NOT NULL AND r.conversation = "
                + "(SELECT min(key) + \(conversation == CommandExample.group ? 0 : 1) FROM conversations)")
    }

    private func set(_ days: Int?, _ world: SocialWorld, now: Timestamp) throws -> Retention {
        let command = SetRetention(conversation: CommandExample.group, days: days)
        let outcome = world.test.carryOut([try request(command, from: console)], now: now)
        return try #require(try outcome.effects.outgoing.replies.first).value()
    }

    @Test("a conversation with a time of its own loses what is older; the places stay, and nothing else is touched")
    func ofOne() throws {
        let world = try world()
        try live(world)
        run(world, now: at(.days(4)))
        #expect(try kept(world, in: CommandExample.group) == "8")
        #expect(
            try set(2, world, now: at(.days(4))) == Retention(conversation: CommandExample.group, days: 2, isOwn: true))
        run(world, now: at(.days(4)))
        #expect(try kept(world, in: CommandExample.group) == "4")
        #expect(try kept(world, in: CommandExample.bystanders) == "8")
        // The log has no hole, and what is gone is read no more.
        let read = try request(GetHistory(conversation: CommandExample.group), from: device("bob", "phone"))
        let page = try #require(try world.reader.answer(read, now: at(.days(4))).published.first).value(
            HistoryReply.self)
        #expect(page.messages.map(\.seq) == Array(1...8))
        #expect(page.messages.map { $0.content == nil } == [true, true, true, true, false, false, false, false])
        #expect(page.messages.allSatisfy { $0.expiresAt == nil })
        let list = try request(ListConversations(), from: device("bob", "phone"))
        let conversations =
            try #require(try world.reader.answer(list, now: at(.days(4))).published.first)
            .data["conversations"] as? [[String: Any]]
        #expect(Set(conversations?.compactMap { $0["unread_count"] as? Int } ?? []) == [4, 8])
        // A day later two more are older.
        run(world, now: at(.days(5)))
        #expect(try kept(world, in: CommandExample.group) == "2")
    }

    @Test("the setting holds for all conversations but those with a time of their own")
    func ofAll() throws {
        let world = try world(days: 1)
        try live(world)
        #expect(
            try set(0, world, now: at(.days(4))) == Retention(conversation: CommandExample.group, days: 0, isOwn: true))
        run(world, now: at(.days(4)))
        #expect(try kept(world, in: CommandExample.group) == "8" && kept(world, in: CommandExample.bystanders) == "2")
        #expect(try set(nil, world, now: at(.days(4))).isOwn == false)
        run(world, now: at(.days(4)))
        #expect(try kept(world, in: CommandExample.group) == "2")
    }

    @Test("a time of day that is ahead removes nothing: what is old is so by the steady time, too")
    func clockAhead() throws {
        let world = try world(days: 1)
        try live(world)
        world.test.writer.clockOffset = 10 * 86_400_000
        run(world, now: at(.days(11)))
        #expect(try kept(world, in: CommandExample.group) == "8")
        world.test.writer.clockOffset = 0
        run(world, now: at(.days(11)))
        #expect(try kept(world, in: CommandExample.group) == "0")
    }

    @Test("files go with the message that names them, many at a time, also when a process ends in between")
    func files() throws {
        let world = try world()
        let blob = BlobID.random()
        let digest = try #require(BlobDigest([UInt8](repeating: 6, count: 32)))
        let create = CreateBlob(id: blob, conversation: CommandExample.group, size: 100, digest: digest)
        _ = try world.result(of: try request(create, from: device("alice", "phone")))
        let message = SendMessage(
            id: .random(), conversation: CommandExample.group, type: .file, suite: .naclBox,
            content: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 9, count: 24), blobs: [blob])
        _ = try world.result(of: try request(message, from: device("alice", "phone")))
        for _ in 0..<150 { _ = world.test.carryOut([try send(CommandExample.group)]) }
        _ = try set(1, world, now: at(.days(2)))
        for part in 0..<6 {
            let next = try world.test.anotherWriter()
            next.run(RetentionDuty.self, now: at(.days(2) + .seconds(Int64(part))))
        }
        #expect(try kept(world, in: CommandExample.group) == "0")
        #expect(try world.test.text("SELECT count(*) FROM blobs") == "0")
        #expect(try world.test.text("SELECT count(*) FROM gone_blobs") == "1")
    }

    @Test("an unknown conversation is refused, and so are people")
    func refusals() throws {
        let world = try world()
        func code(_ command: SetRetention, _ sender: DeviceAddress) throws -> String? {
            try world.result(of: try request(command, from: sender)).code
        }
        #expect(try code(SetRetention(conversation: .random(), days: 1), console) == "not_found")
        #expect(
            try code(SetRetention(conversation: CommandExample.group, days: 1), device("alice", "phone")) == "forbidden"
        )
        let read = try request(GetRetention(conversation: CommandExample.group), from: console)
        let shown = try #require(try world.reader.answer(read, now: at(0)).published.first).value(Retention.self)
        #expect(shown == Retention(conversation: CommandExample.group, days: 0, isOwn: false))
    }
}
