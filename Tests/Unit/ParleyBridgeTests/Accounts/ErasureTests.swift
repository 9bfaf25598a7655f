import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Erasing and exporting a person", .onEveryStore)
struct ErasureTests {
    private let world: AccountWorld
    private let console = device("operator", "console")
    private let phone = device("alice", "phone")
    private let blob = BlobID.random()
    private var test: TestWriter { world.test }

    init() throws {
        world = try AccountWorld()
        try test.execute("UPDATE users SET message_privacy = 'anyone'")
        _ = try test.conversation(["bob", "alice", "carol"], id: CommandExample.group)
    }

    private func ask(_ command: some Command, by sender: DeviceAddress? = nil) throws -> Published {
        try world.ask(command, by: sender ?? phone)
    }

    /// Messages of alice and bob in turn, the first of alice with a file and an edit; reports of both.
    private func live() throws -> [MessageID] {
        let ids = (0..<6).map { _ in MessageID.random() }
        let digest = try #require(BlobDigest([UInt8](repeating: 6, count: 32)))
        let create = CreateBlob(id: blob, conversation: CommandExample.group, size: 100, digest: digest)
        #expect(try ask(create).isOK == true)
        for (index, id) in ids.enumerated() {
            let message = SendMessage(
                id: id, conversation: CommandExample.group, type: .file, suite: .naclBox,
                content: [UInt8](repeating: UInt8(index + 1), count: 32), nonce: [UInt8](repeating: 9, count: 24),
                blobs: index == 0 ? [blob] : [])
            #expect(try ask(message, by: index.isMultiple(of: 2) ? phone : device("bob", "phone")).isOK == true)
        }
        let edit = try change(.edit, ids[0], in: CommandExample.group, id: .random())
        #expect(try test.carryOut([edit]).effects.outgoing.replies.first?.isOK == true)
        for (reporter, id) in [(phone, ids[1]), (device("bob", "phone"), ids[0])] {
            let report = #"{"id":"\#(ReportID.random())","reason":"r","message_id":"\#(id)"}"#
            let reply = test.carryOut([try request(CreateReport.self, report, from: reporter)]).effects.outgoing
            #expect(try reply.replies.first?.isOK == true)
        }
        return ids
    }

    private func finish() {
        for second in 0..<60 {
            for duty in [AccountRemovalDuty.self, ErasureDuty.self] as [any Duty.Type] {
                test.writer.run(duty, now: at(.seconds(Int64(second))))
            }
        }
    }

    private func history() throws -> [MessageRecord] {
        let read = try request(GetHistory(conversation: CommandExample.group), from: device("bob", "phone"))
        let reply: Published = try #require(try test.reader().answer(read, now: at(0)).published.first)
        return try reply.value(HistoryReply.self).messages
    }

    @Test("of an erased user's records the places are left, others' stay whole, and their files and reports go")
    func erases() throws {
        let ids = try live()
        let before = try history().map(\.seq)
        #expect(try ask(EraseUser(user: "alice"), by: console).data["changed"] as? Bool == true)
        finish()
        let messages = try history()
        #expect(messages.map(\.seq).starts(with: before))
        for (index, id) in ids.enumerated() {
            let record = try #require(messages.first { $0.id == id })
            #expect((record.content == nil) == index.isMultiple(of: 2))
        }
        #expect(try test.text("SELECT count(*) FROM records WHERE sender = 'alice' AND content IS NOT NULL") == "0")
        #expect(try test.text("SELECT count(*) FROM records WHERE sender = 'bob' AND content IS NOT NULL") == "3")
        #expect(try test.text("SELECT count(*) FROM blobs") == "0")
        #expect(try test.text("SELECT count(*) FROM gone_blobs") == "1")
        #expect(try test.text("SELECT count(*) FROM reports WHERE reporter = 'alice'") == "0")
        #expect(try test.text("SELECT count(*) FROM reports WHERE message IS NULL AND evidence IS NULL") == "1")
        #expect(try test.text("SELECT count(*) FROM erasures") == "0")
        // Bob has read nothing: what is erased counts no more.
        let list = try test.reader().answer(
            try request(ListConversations(), from: device("carol", "phone")), now: at(0))
        let first = try #require(try list.published.first).data["conversations"] as? [[String: Any]]
        #expect(first?.first?["unread_count"] as? Int == 3)
        #expect(try ask(EraseUser(user: "alice"), by: console).data["changed"] as? Bool == false)
    }

    @Test("a removed user is erased later, and an erasure goes on after a restart, in parts")
    func later() throws {
        _ = try live()
        for _ in 0..<70 {
            #expect(try test.carryOut([try send(CommandExample.group)]).effects.outgoing.replies.first?.isOK == true)
        }
        #expect(try ask(RemoveUser(user: "alice"), by: console).isOK == true)
        finish()
        #expect(try test.text("SELECT count(*) FROM records WHERE sender = 'alice' AND content IS NOT NULL") == "74")
        #expect(try ask(EraseUser(user: "alice"), by: console).data["changed"] as? Bool == true)
        var parts = 0
        while try test.text("SELECT count(*) FROM erasures") == "1", parts < 20 {
            // The next process does one part, and ends.
            let next = try test.anotherWriter()
            _ = next.run(ErasureDuty.self, now: at(.seconds(Int64(parts))))
            parts += 1
        }
        #expect((3...6).contains(parts))
        #expect(try test.text("SELECT count(*) FROM records WHERE sender = 'alice' AND content IS NOT NULL") == "0")
        #expect(try ask(EraseUser(user: "operator"), by: console).code == "forbidden")
        #expect(try ask(EraseUser(user: "nobody"), by: console).code == "not_found")
    }

    /// All items, page by page.
    private func export(_ user: UserID, limit: Int) throws -> [(type: String, text: String)] {
        let reader = try test.reader()
        var items: [(type: String, text: String)] = []
        var cursor: String?
        repeat {
            let read = ExportUser(user: user, page: Page(limit: limit, cursor: cursor))
            let reply: Published = try #require(
                try reader.answer(try request(read, from: console), now: at(0)).published.first)
            #expect(reply.isOK == true)
            let data = try #require(try JSONObject(parsing: reply.payload).object("data"))
            for item in try data.objects("items", maximum: 200) ?? [] {
                let text = String(decoding: item.source[item.place], as: UTF8.self)
                items.append((try item.text("type", maximum: 64) ?? "", text))
            }
            cursor = try data.text("next_cursor", maximum: 256)
        } while cursor != nil
        return items
    }

    @Test(
        "an export has all parts of a user, the same in pages of any size, and nothing of others",
        arguments: [1, 7, 200])
    func exports(limit: Int) throws {
        _ = try live()
        for command in [
            Follow(user: "bob"), Block(user: "carol"),
            LogWorkout(id: .random(), completedAt: at(0), timeZone: "UTC", kind: nil, minutes: 5),
            PostActivity(id: .random(), type: .goalReached, title: "5 km"),
        ] as [any Command] { #expect(try ask(command).isOK == true, "\(command.operation)") }
        #expect(try world.ask(Follow(user: "alice"), by: device("bob", "phone")).isOK == true)
        #expect(try world.ask(Block(user: "alice"), by: device("bob", "laptop")).isOK == true)
        let items = try export("alice", limit: limit)
        let types = items.map(\.type)
        #expect(types.count { $0 == "message" } == 4 && types.count { $0 == "device" } == 2)
        for type in ["account", "block", "conversation", "blob", "workout", "activity", "report"] {
            #expect(types.count { $0 == type } == 1, "\(type)")
        }
        // That bob has blocked alice, which ended their following, is bob's.
        #expect(!items.contains { $0.type == "block" && $0.text.contains("bob") })
        let others = Base64.encode([UInt8](repeating: 2, count: 32))
        #expect(!items.contains { $0.type == "message" && $0.text.contains(others) })
        #expect(
            items.contains { $0.type == "message" && $0.text.contains(Base64.encode([UInt8](repeating: 1, count: 32))) }
        )
    }
}
