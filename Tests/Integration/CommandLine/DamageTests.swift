import Launch
import Foundation
import Glibc
import ParleyClient
import ParleyMosquitto
import ParleyProtocol
import TestSupport
import Testing

@Suite("parley with damaged files of a device", .ownThreads, .timeLimit(.minutes(20)))
struct DamageTests {
    private let couple: Couple
    private let alice = DeviceAddress(user: UserID(validated: "alice"), device: DeviceID(validated: "phone"))
    private var parley: ParleyTool { couple.parley }
    private var directory: String { "\(couple.gateway.directory)/devices/alice/phone" }

    init() throws {
        couple = try Couple()
        try couple.makeKeys(of: "bob/phone")
    }

    private func chat(_ input: String, _ arguments: String...) throws -> ParleyTool.Outcome {
        try parley.run(["chat", "--as", "alice/phone", "--with", "bob"] + arguments, input: input)
    }

    private func withAlice<Value: Sendable>(
        _ body: @Sendable (MessagingClient, ConversationID) async throws -> Value
    ) async throws -> Value {
        let configuration = try ClientConfiguration.local(device: alice, in: couple.gateway.directory)
        return try await MessagingClient.open(configuration) { client in
            try await body(client, try #require(await client.conversations.all().first).id)
        }
    }

    /// Sends `before`, and writes a message while there is no gateway.
    private func leaveWaiting(_ text: String) async throws {
        #expect(try chat("before\n").status == 0)
        // The chat may have ended with the reply, before its record came: until then it waits in the queue, too.
        try await withAlice { client, conversation in
            try await client.ready(timeout: chatPatience)
            try await waiting(for: "its record") {
                try await client.history(of: conversation).messages.map(\.position?.seq) == [1]
            }
        }
        couple.gateway.endBroker(SIGKILL)
        couple.gateway.endParleyd(SIGKILL)
        try await withAlice { client, conversation in _ = try await client.send(.text(text), to: conversation) }
        try couple.gateway.startBroker()
        try couple.gateway.startParleyd()
    }

    private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: "\(directory)/\(name)")) }

    private func write(_ bytes: Data, to name: String) throws {
        try bytes.write(to: URL(filePath: "\(directory)/\(name)"))
    }

    /// Breaks every page of an index or a table without row numbers (`SQLite database file format`, 1.6): conversations
    /// are lost, the queue is not.
    private func damageDatabase() throws -> Data {
        var database = try bytes("messages.db")
        for page in stride(from: database.startIndex + 4096, to: database.endIndex, by: 4096)
        where database[page] == 0x0A { database[page] = 0xFF }
        try write(database, to: "messages.db")
        return database
    }

    @Test("a damaged database is named and left as it is; recovered, it gives back what waited to be sent")
    func database() async throws {
        try await leaveWaiting("waiting")
        let damaged = try damageDatabase()
        let refused = try chat("lost?\n")
        #expect(refused.status == 3 && refused.output.isEmpty)
        #expect(refused.errors.contains("/devices/alice/phone/messages.db is damaged"))
        #expect(refused.errors.contains("parley chat --as alice/phone --with UID --recover"))
        #expect(refused.errors.split(separator: "\n").count == 1)
        #expect(try bytes("messages.db") == damaged)

        let listening = try couple.listen(as: "bob/phone", "--json")
        let recovered = try chat("after\n", "--recover")
        #expect(recovered.status == 0, "\(recovered.errors)")
        #expect(recovered.errors.contains("1 of the messages that waited to be sent"))
        #expect(recovered.errors.contains("messages.db.rescued-1"))
        #expect(try couple.lines(of: listening, count: 2).map { $0["content"]["text"] } == ["waiting", "after"])
        #expect(try bytes("messages.db.rescued-1") == damaged)

        try await withAlice { client, conversation in
            try await client.ready(timeout: chatPatience)
            let texts = try await client.history(of: conversation).messages.map(\.text)
            #expect(texts == ["before", "waiting", "after"])
            #expect(try await client.search("before").map(\.text) == ["before"])
        }
        let again = try chat("", "--recover")
        #expect(again.status == 0)
        #expect(again.errors == "parley: the messages kept on this device are in order\n")
    }

    @Test("what was sent before the database was damaged, and stands far back, is not sent again nor waits for ever")
    func sentBefore() async throws {
        try await leaveWaiting("waiting")
        let old = try bytes("messages.db")
        let later = (1...60).map { "\($0)" }
        #expect(try chat(later.joined(separator: "\n") + "\n").status == 0)
        try write(old, to: "messages.db")
        _ = try damageDatabase()
        let recovered = try chat("end\n", "--recover")
        #expect(recovered.status == 0, "\(recovered.errors)")
        #expect(recovered.errors.contains("1 of the messages that waited to be sent"), "\(recovered.errors)")
        try await withAlice { client, conversation in
            try await client.ready(timeout: chatPatience)
            // Not so far back that it would be found.
            var slice = try await client.history(of: conversation, limit: 5)
            while slice.messages.contains(where: { $0.position == nil }) {
                slice = try await client.history(of: conversation, limit: 5)
            }
            slice = try await client.history(of: conversation, limit: 200)
            #expect(slice.messages.map(\.text) == ["before", "waiting"] + later + ["end"])
            #expect(try await client.failedMessages().isEmpty)
        }
    }

    @Test("damaged keys, and damaged keys of others, are named and left as they are", arguments: ["keys", "peers"])
    func keys(name: String) throws {
        #expect(try chat("before\n").status == 0)
        let whole = try bytes(name)
        var damaged = whole
        damaged[damaged.index(damaged.startIndex, offsetBy: damaged.count / 2)] ^= 1
        let wrongs = [damaged, whole.prefix(whole.count / 2), Data("no such thing\n".utf8)]
        for wrong in TestForm.cases(wrongs, shortEach: 3) {
            try write(wrong, to: name)
            for command in [
                ["chat", "--with", "bob"], ["chat", "--with", "bob", "--recover"], ["send", "--to", "bob", "x"],
            ] {
                let run = try parley.start(command + ["--as", "alice/phone"], input: "x\n")
                #expect(run.child.waitUntilEnded() == 3)
                #expect(run.output.isEmpty)
                #expect(run.errors.contains("\(directory)/\(name) "), "\(run.errors)")
                #expect(run.errors.split(separator: "\n").last?.hasPrefix("parley: ") == true)
            }
            #expect(try bytes(name) == wrong)
        }
        try write(whole, to: name)
        #expect(try chat("after\n").status == 0)
    }
}
