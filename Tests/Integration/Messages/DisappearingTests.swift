import Foundation
import ParleyBridge
import ParleyProtocol
import ParleyRules
import TestSupport
import Testing

@testable import ParleyStore

/// Messages that disappear, with a real broker and real files.
@Suite("Disappearing", .ownThreads)
struct DisappearingTests {
    private static let day: Int64 = 86_400_000

    /// Clocks by which messages that live for a day are due.
    private static var aDayLater: MovedClock {
        let clock = MovedClock()
        clock.move(by: day + 60_000)
        return clock
    }

    /// Whether any file of the store's holds these bytes.
    private func isInFiles(_ gateway: TestGateway, _ content: [UInt8]) throws -> Bool {
        for name in try FileManager.default.contentsOfDirectory(atPath: gateway.directory)
        where name.hasPrefix("parley.db") {
            let file = try Data(contentsOf: URL(filePath: gateway.directory + "/" + name))
            if file.range(of: Data(content)) != nil { return true }
        }
        return false
    }

    private func history(_ device: DeviceClient, _ conversation: String) throws -> [JSON] {
        try device.accepted("history/get", ["conversation_id": .string(conversation)])["messages"].elements
    }

    private func bytes(_ field: JSON) throws -> [UInt8] {
        Array(try #require(Data(base64Encoded: field.text ?? "")))
    }

    @Test(
        "when its time has come a message is gone from history with its edits and reactions, and from the files",
        .oneMachine(.clock))
    func disappears() async throws {
        let host = try TestGateway(start: false)
        try host.startBroker()
        let clock = MovedClock()
        try await host.runInProcess(by: clock) {
            let (alice, bob, conversation) = try host.pair()
            let sent = message(conversation, ["expires_in": 86400])
            let edit = change(of: sent["id"], in: conversation, "edit")
            let reaction = change(of: sent["id"], in: conversation, "reaction")
            let staying = message(conversation)
            try alice.accepted("messages/send", sent)
            try alice.accepted("messages/edit", edit)
            try bob.accepted("messages/react", reaction)
            try alice.accepted("messages/send", staying)
            clock.move(by: Self.day - 60_000)
            #expect(try history(bob, conversation).allSatisfy { $0["encrypted_content"] != .null })
            #expect(try isInFiles(host, bytes(sent["encrypted_content"])))
            clock.move(by: Self.day + 60_000)
            let log = try eventually("the disappearance") { () -> [JSON]? in
                let log = try history(bob, conversation)
                return log[0]["encrypted_content"] == .null ? log : nil
            }
            #expect(log.map { $0["encrypted_content"] == .null } == [true, true, true, false])
            #expect(log.map { $0["nonce"] == .null } == [true, true, true, false])
            // Every device knows since when; a change says it of none but its message.
            #expect(log.map { $0["expires_at"] == .null } == [false, true, true, true])
            #expect(log.compactMap { $0["seq"].int } == [1, 2, 3, 4])
            for field in [sent, edit, reaction].map({ $0["encrypted_content"] }) {
                try eventually("the files without it") { try isInFiles(host, bytes(field)) ? nil : () }
            }
            #expect(try isInFiles(host, bytes(staying["encrypted_content"])))
            // Known when it is sent again; and nobody changes it any more.
            #expect(try alice.accepted("messages/send", sent)["seq"] == 1)
            #expect(try alice.refusal("messages/edit", change(of: sent["id"], in: conversation, "edit")) == "not_found")
            #expect(try bob.refusal("messages/react", change(of: sent["id"], in: conversation, "x")) == "not_found")
            #expect(try history(bob, conversation) == log)
        }
    }

    @Test(
        "a deleted message leaves the files",
        .oneMachine(.databaseFile))
    func deleted() throws {
        let gateway = try TestGateway()
        let (alice, _, conversation) = try gateway.pair()
        let (sent, staying) = (message(conversation), message(conversation))
        let edit = change(of: sent["id"], in: conversation, "edit")
        try alice.accepted("messages/send", sent)
        try alice.accepted("messages/send", staying)
        try alice.accepted("messages/edit", edit)
        #expect(try isInFiles(gateway, bytes(sent["encrypted_content"])))
        try alice.accepted("messages/delete", change(of: sent["id"], in: conversation, "delete"))
        for content in try [sent, edit].map({ try bytes($0["encrypted_content"]) }) {
            try eventually("the files without it") { try isInFiles(gateway, content) ? nil : () }
        }
        #expect(try isInFiles(gateway, bytes(staying["encrypted_content"])))
    }

    @Test("a device that was away gets nothing of what has disappeared, and all of the rest")
    func queued() throws {
        let gateway = try TestGateway()
        let (alice, bob, conversation) = try gateway.pair()
        let credentials = try gateway.device("tablet", of: bob.user)
        let session = DeviceClient.Options(keepsSession: 600)
        var tablet = try gateway.connect(credentials, session)
        try tablet.listen(to: conversation, "messages")
        tablet.disconnect()
        let later = message(conversation, ["expires_in": 600])
        // It lives for a second: where the machine is too busy for a reaction within it, another one is sent.
        var brief = 0
        var isReactedTo = false
        while !isReactedTo {
            let sent = message(conversation, ["expires_in": 1])
            try alice.accepted("messages/send", sent)
            brief += 1
            isReactedTo = try bob.refusal("messages/react", change(of: sent["id"], in: conversation, "reaction")) == nil
            try #require(brief < 100)
        }
        try alice.accepted("messages/send", later)
        try alice.accepted("messages/send", message(conversation))
        // The broker's own clock, which counts whole seconds, must pass: no test can move it.
        let gone = ContinuousClock.now.advanced(by: .seconds(4))
        try eventually("the broker's clock") { ContinuousClock.now >= gone ? () : nil }
        tablet = try gateway.connect(credentials, session)
        let topic = "conversations/\(conversation)/messages"
        let sentinel = try tablet.until("what stays") {
            tablet.events(on: topic).last { $0["data"]["seq"].int == brief + 3 }
        }
        #expect(sentinel["data"]["encrypted_content"] != .null)
        #expect(tablet.events(on: topic).compactMap { $0["data"]["seq"].int } == [brief + 2, brief + 3])
        #expect(tablet.events(on: topic)[0]["data"]["id"] == later["id"])
        // History has the missing ones, without content.
        let log = try history(tablet, conversation)
        #expect(log.compactMap { $0["seq"].int } == Array(1...brief + 3))
        #expect(log.map { $0["encrypted_content"] == .null } == log.indices.map { $0 < log.count - 2 })
    }

    @Test(
        "what was due while the gateway was away is gone before a device can ask for it",
        .oneMachine(.clock))
    func restart() async throws {
        let gateway = try TestGateway()
        let (alice, bob, conversation) = try gateway.pair()
        let (sent, deleted) = (message(conversation, ["expires_in": 86400]), message(conversation))
        try alice.accepted("messages/send", sent)
        try alice.accepted("messages/send", deleted)
        try alice.accepted("messages/delete", change(of: deleted["id"], in: conversation, "delete"))
        // No time to write anything back.
        gateway.endParleyd(SIGKILL)
        try await gateway.runInProcess(by: Self.aDayLater, boot: ClockReading.machineBoot) {
            let bob = try gateway.connect(bob.credentials)
            #expect(try history(bob, conversation).allSatisfy { $0["encrypted_content"] == .null })
            for content in try [sent, deleted].map({ try bytes($0["encrypted_content"]) }) {
                try eventually("the files without it") { try isInFiles(gateway, content) ? nil : () }
            }
            #expect(try gateway.connect(alice.credentials).accepted("messages/send", sent)["seq"] == 1)
        }
    }

    @Test(
        "what an earlier process left unpublished goes out without its ciphertext when that was due meanwhile",
        .oneMachine(.clock))
    func unpublished() async throws {
        let gateway = try TestGateway()
        let (alice, bob, conversation) = try gateway.pair()
        let tablet = try gateway.device("tablet", of: bob.user)
        let session = DeviceClient.Options(keepsSession: 600)
        let away = try gateway.connect(tablet, session)
        try away.listen(to: conversation, "messages")
        try alice.accepted("messages/send", message(conversation, ["expires_in": 86400]))
        try alice.accepted("messages/send", message(conversation))
        let topic = "conversations/\(conversation)/messages"
        let first = try away.until("both") { () -> [JSON]? in
            let events = away.events(on: topic)
            return events.count == 2 ? events : nil
        }
        #expect(first.allSatisfy { $0["data"]["encrypted_content"] != .null })
        away.disconnect()
        gateway.endParleyd(SIGKILL)
        // As if it had been killed before the broker had acknowledged any of it.
        try Store(path: gateway.database).write { try $0.database.run("UPDATE publishing SET published_through = 0") }
        try await gateway.runInProcess(by: Self.aDayLater, boot: ClockReading.machineBoot) {
            let back = try gateway.connect(tablet, session)
            let again = try back.until("both again") { () -> [JSON]? in
                let events = back.events(on: topic)
                return events.count >= 2 ? events : nil
            }
            #expect(again.compactMap { $0["data"]["seq"].int } == [1, 2])
            #expect(again.map { $0["data"]["encrypted_content"] == .null } == [true, false])
            #expect(again[0]["data"]["expires_at"] == first[0]["data"]["expires_at"])
        }
    }
}
