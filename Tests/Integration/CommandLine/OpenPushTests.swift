import Foundation
import ParleyClient
import ParleyMosquitto
import ParleyProtocol
import TestSupport
import Testing

@Suite("parley push open", .ownThreads, .timeLimit(.minutes(20)))
struct OpenPushTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }
    private let bob = DeviceAddress(user: UserID(validated: "bob"), device: DeviceID(validated: "phone"))

    init() throws { couple = try Couple(keysOf: ["alice/phone", "bob/phone"]) }

    @Test("a message is opened beside a client that has the database open, as it has become there since")
    func besideClient() async throws {
        let configuration = try ClientConfiguration.local(device: bob, in: couple.gateway.directory)
        try await MessagingClient.open(configuration) { client in
            try await client.ready(timeout: chatPatience)
            let sent = try couple.send("See you at six")["data"]
            let id = try #require(MessageID(sent["id"].text ?? ""))
            try await waiting(for: "the message") {
                await client.conversations.all().first?.lastMessage?.id == id
            }
            let conversation = try #require(await client.conversations.all().first).id
            let message = try couple.pushed(to: "bob/phone", in: conversation.description)
            let payload = couple.payload(message, to: "bob/phone")

            let shown = try parley.read("push", "open", "--as", "bob/phone", "-", input: payload)
            #expect(shown.status == 0, "\(shown.errors)")
            #expect(
                shown.output.contains("alice/phone: See you at six → parley://conversation/\(conversation) [badge 3]"))
            func json() throws -> JSON {
                try parley.run("push", "open", "--as", "bob/phone", "--json", "-", input: payload).json
            }
            #expect(try json()["is_read"] == false)
            #expect(try json()["message"]["id"].text == id.description)

            try await client.markRead(conversation, upTo: id)
            #expect(try json()["is_read"] == true)
            let change = try parley.run(
                "edit", "--as", "alice/phone", "--conversation", conversation.description, id.description, "At seven")
            #expect(change.status == 0, "\(change.errors)")
            try await waiting(for: "the edit") {
                try await client.history(of: conversation).messages.last?.isEdited == true
            }
            #expect(try json()["message"]["content"]["text"].text == "At seven")
        }
        // And where no client is open.
        let again = try parley.run("push", "open", "--as", "bob/phone", "/dev/null")
        #expect(again.status == 3 && again.errors.contains("no push notification: it is empty"), "\(again.errors)")
    }

    @Test("where nothing is kept the keys alone open it, and a device that has none is told so")
    func withoutDatabase() throws {
        let conversation = try #require(
            try couple.parley.run(
                "request", "--as", "alice/phone", "conversations/create",
                #"{"type":"direct","participant_ids":["bob"]}"#
            ).json["data"]["id"].text)
        let listening = try couple.listen(as: "bob/phone", "--json")
        try couple.send("Hello")
        #expect(try couple.lines(of: listening, count: 1).count == 1)
        let message = try couple.pushed(to: "bob/phone", in: conversation)
        let payload = couple.payload(message, to: "bob/phone")
        let opened = try parley.run("push", "open", "--as", "bob/phone", "--json", "-", input: payload).json
        #expect(opened["message"]["content"]["text"].text == "Hello")
        // For another device it is nothing, and is not opened by its keys.
        try couple.makeKeys(of: "alice/phone")
        let other = try parley.run("push", "open", "--as", "alice/phone", "--json", "-", input: payload)
        #expect(other.status == 0 && other.json["error"]["code"].text == "not_for_this_device")
        let nobody = try parley.run("push", "open", "--as", "bob/laptop", "-", input: payload)
        #expect(nobody.status == 3 && nobody.errors.contains("bob/laptop has no keys"), "\(nobody.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(couple.gateway.directory)/devices/bob/laptop"))
    }
}

extension Couple {
    /// The newest message of a conversation, as the gateway has it.
    func pushed(to device: String, in conversation: String) throws -> JSON {
        try history(#"{"conversation_id":"\#(conversation)","limit":1}"#, device)
    }

    /// The first message of a conversation, as the gateway has it.
    func firstPushed(to device: String, in conversation: String) throws -> JSON {
        try history(#"{"conversation_id":"\#(conversation)","limit":1,"after":0}"#, device)
    }

    private func history(_ fields: String, _ device: String) throws -> JSON {
        let page = try parley.run("request", "--as", device, "history/get", fields).json
        return try #require(page["data"]["messages"].elements.first)
    }

    /// The push of a message to a device: the object of protocol §7.
    func payload(_ message: JSON, to device: String) -> String {
        let names = device.split(separator: "/").map(String.init)
        let object: JSON = [
            "id": .string(newID()), "type": "message", "user_id": .string(names[0]), "device_id": .string(names[1]),
            "conversation_id": message["conversation_id"], "epoch": message["epoch"], "seq": message["seq"], "badge": 3,
            "badge_at": message["created_at"], "is_read": false, "created_at": message["created_at"],
            "expires_at": "2100-01-01T00:00:00.000Z", "message": message,
        ]
        return String(decoding: object.bytes, as: UTF8.self)
    }
}
