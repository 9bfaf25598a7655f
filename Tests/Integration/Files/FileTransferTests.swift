import Foundation
import HTTPDoubles
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

@Suite("Files between clients, by a real door", .ownThreads, .timeLimit(.minutes(20)))
struct FileTransferTests {
    private let site: FileSite

    init() throws { site = try FileSite(TestGateway()) }

    private func place(_ name: String) throws -> String {
        let path = "\(site.gateway.directory)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return path
    }

    private func error(_ body: () async throws -> Void) async -> FileTransferError? {
        do { try await body() } catch ClientError.file(let error) { return error } catch {
            Issue.record(error)
        }
        return nil
    }

    @Test("a file arrives equal to the byte, is saved under a free name, and comes from the cache afterwards")
    func wholeFile() async throws {
        let (one, other) = (try site.chatter(), try site.chatter())
        try await befriend(one, other)
        let file = try site.file(3_000_001, name: "report.pdf")
        let place = try place("received")
        try await chat(one, other) { alice, bob in
            var events = ClientEvents(bob)
            let chat = try await alice.conversation(with: other.user).id
            let id = try await alice.send(file: OutgoingFile(file.path, caption: "At six"), to: chat)
            _ = try await alice.outcome(of: id)
            let message = try await events.file()
            #expect(message.id == id && message.attachment?.name == "report.pdf")
            #expect(message.attachment?.mimeType == "application/pdf" && message.attachment?.size == 3_000_001)
            let saved = try await bob.files.save(message, in: place)
            #expect(try Data(contentsOf: URL(filePath: saved)) == file.content)
            site.closeDoor()
            let again = try await bob.files.save(message, in: place)
            #expect(again != saved)
            #expect(try Data(contentsOf: URL(filePath: again)) == file.content)
            #expect(await error { try await bob.files.save(message, to: saved) } == .exists(path: saved))
            // The sender has it, too.
            let own = try await alice.history(of: chat, at: .newest, limit: 1).messages
            let bytes = try await alice.files.bytes(of: try #require(own.last), atMost: 4_000_000)
            #expect(Data(bytes) == file.content)
            try await bob.files.clearCache()
            guard case .unreachable? = await error({ try await bob.files.fetch(message) }) else {
                throw NeverCameError("a door that is away")
            }
        }
    }

    @Test("a file waits for a door that is away, while later messages are sent, and over a restart of its client")
    func awayDoor() async throws {
        let (one, other) = (try site.chatter(), try site.chatter())
        try await befriend(one, other)
        // It makes and publishes the keys that alice seals for.
        try await other.chat { _ in }
        let file = try site.file(1_000_000, name: "late.bin")
        site.closeDoor()
        let sent = try await one.chat { alice in
            var events = ClientEvents(alice)
            let chat = try await alice.conversation(with: other.user).id
            let id = try await alice.send(file: OutgoingFile(file.path), to: chat)
            _ = try await alice.outcome(of: try await alice.send(.text("later"), to: chat))
            try await events.next("a wait for the door") { event -> Void? in
                guard case .upload(let upload) = event, case .waiting(.unreachable) = upload.state else { return nil }
                return upload.message == id ? () : nil
            }
            return id
        }
        try site.openDoor()
        try await chat(one, other) { alice, bob in
            #expect(try await alice.outcome(of: sent).seq == 2)
            let message = try await received(sent, by: bob, from: one.user)
            #expect(Data(try await bob.files.bytes(of: message, atMost: 1_000_000)) == file.content)
        }
    }

    /// A message with a file that waits, as the door is away; its client has ended.
    private func waiting(_ one: ChatDevice, for other: ChatDevice, _ path: String) async throws -> ChatMessage {
        // It makes and publishes the keys that alice seals for.
        try await other.chat { _ in }
        site.closeDoor()
        return try await one.chat { alice in
            let chat = try await alice.conversation(with: other.user).id
            let id = try await alice.send(file: OutgoingFile(path), to: chat)
            let messages = try await alice.history(of: chat, at: .newest, limit: 9).messages
            return try #require(messages.first { $0.id == id })
        }
    }

    /// A message as the other has it, from the log or as it comes.
    private func received(
        _ id: MessageID, by client: MessagingClient, from user: UserID
    ) async throws -> ChatMessage {
        // Before the look, so that none is missed.
        var events = ClientEvents(client)
        let chat = try await client.conversation(with: user).id
        let messages = try await client.history(of: chat, at: .newest, limit: 9).messages
        if let found = messages.first(where: { $0.id == id }) { return found }
        return try await events.next("the message") { event in
            guard let message = event.message, message.id == id, message.position != nil else { return nil }
            return message
        }
    }

    @Test("killed before it could note down the door's and the gateway's answers, a client sends it once")
    func answersNotRecorded() async throws {
        let (one, other) = (try site.chatter(), try site.chatter())
        try await befriend(one, other)
        let file = try site.file(700_000, name: "once.bin")
        let message = try await waiting(one, for: other, file.path)
        // The disk as it is before any of the answers.
        let (disk, copy) = (one.configuration.directory.path, try place("disk"))
        let files = FileManager.default
        try files.removeItem(atPath: copy)
        try files.copyItem(atPath: disk, toPath: copy)
        try site.openDoor()
        let first = try await one.chat { try await $0.outcome(of: message.id) }
        try files.removeItem(atPath: disk)
        try files.moveItem(atPath: copy, toPath: disk)
        try await chat(one, other) { alice, bob in
            #expect(try await alice.outcome(of: message.id).seq == first.seq)
            let received = try await received(message.id, by: bob, from: one.user)
            let messages = try await bob.history(of: message.conversation, at: .newest, limit: 9).messages
            #expect(messages.map(\.id) == [message.id])
            #expect(received.attachment?.blob == message.attachment?.blob)
            #expect(Data(try await bob.files.bytes(of: received, atMost: 1_000_000)) == file.content)
        }
    }

    @Test("where the gateway takes the id of its blob no more, a file goes as another one, under the message's id")
    func refusedBlob() async throws {
        let (one, other) = (try site.chatter(), try site.chatter())
        try await befriend(one, other)
        let file = try site.file(700_000, name: "renewed.bin")
        let message = try await waiting(one, for: other, file.path)
        let blob = try #require(message.attachment?.blob)
        let tablet = try site.gateway.client("tablet", of: one.user.text)
        try tablet.accepted(
            "blobs/create",
            [
                "id": .string(blob.description), "conversation_id": .string(message.conversation.description),
                "size": .int(100),
                "digest": .string(base64([UInt8](repeating: 6, count: 32))),
            ])
        try tablet.accepted("blobs/delete", ["id": .string(blob.description)])
        try site.openDoor()
        try await chat(one, other) { alice, bob in
            _ = try await alice.outcome(of: message.id)
            let received = try await received(message.id, by: bob, from: one.user)
            #expect(received.attachment?.blob != nil && received.attachment?.blob != blob)
            #expect(received.attachment?.digest == message.attachment?.digest)
            #expect(Data(try await bob.files.bytes(of: received, atMost: 1_000_000)) == file.content)
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: one.configuration.directory.path + "/files").count == 1)
    }

    @Test("who was removed from a conversation gets no more of its files")
    func removedMember() async throws {
        let (one, other) = (try site.chatter(), try site.chatter())
        try await befriend(one, other)
        let file = try site.file(100_000, name: "plan.bin")
        try await chat(one, other) { alice, bob in
            var events = ClientEvents(bob)
            let group = try await alice.groups.create(name: "Run", with: [other.user]).id
            _ = try await alice.outcome(of: try await alice.send(file: OutgoingFile(file.path), to: group))
            let message = try await events.file()
            _ = try await alice.groups.remove(other.user, from: group)
            #expect(await error { try await bob.files.fetch(message) } == .gone)
        }
    }

    @Test("a door that lies is refused, and leaves nothing", arguments: ["bytes", "length", "endless", "other"])
    func lyingDoor(lie: String) async throws {
        let double = try HTTPDouble { request in
            let ends = (request["range"] ?? "").dropFirst(6).split(separator: "-").compactMap { Int($0) }
            guard ends.count == 2 else { return .answer(400) }
            let body = String(repeating: "x", count: ends[1] - ends[0] + 1)
            // 2 chunks of 100,000 bytes, and the header.
            let total = lie == "length" ? 50 : 100_058
            return switch lie {
            case "endless": .endless(206)
            case "other": .answer(200, body: "<html>sign in</html>")
            default: .answer(206, [("Content-Range", "bytes \(ends[0])-\(ends[1])/\(total)")], body: body)
            }
        }
        defer { double.close() }
        let (one, other) = (try site.chatter(), try site.chatter(doorPort: double.port))
        try await befriend(one, other)
        let file = try site.file(100_000, name: "true.bin")
        let place = try place("lies")
        try await chat(one, other) { alice, bob in
            var events = ClientEvents(bob)
            let chat = try await alice.conversation(with: other.user).id
            _ = try await alice.outcome(of: try await alice.send(file: OutgoingFile(file.path), to: chat))
            let message = try await events.file()
            let error = await error { _ = try await bob.files.save(message, in: place) }
            switch lie {
            case "bytes": #expect(error?.code == "wrong_digest" || error?.code == "not_authentic")
            // The range that was asked for does not fit into such a file.
            case "length": #expect(error == .notADoor(status: 206))
            case "endless": #expect(error == .notADoor(status: 206))
            default: #expect(error == .notADoor(status: 200))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
        }
    }
}
