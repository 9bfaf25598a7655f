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
        try await other.chat { try await $0.ready(timeout: chatPatience) }
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
            let chat = try await bob.conversation(with: one.user).id
            let messages = try await bob.history(of: chat, at: .newest, limit: 9).messages
            let message = try #require(messages.first { $0.id == sent })
            #expect(Data(try await bob.files.bytes(of: message, atMost: 1_000_000)) == file.content)
        }
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
