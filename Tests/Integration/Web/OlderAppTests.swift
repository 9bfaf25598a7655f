import Foundation
import ParleyProtocol
import TestSupport
import Testing

extension GatewayTests.WebTests {
    /// An app's networking code as the older guide prints it.
    @Suite("Older app")
    final class OlderAppTests: DoorSuite {
        private struct Read: Codable { let messageId: String }
        private struct Watermark: Codable { let conversationId: String }

        private func app(_ credentials: DeviceCredentials) async throws -> OlderApp {
            let app = try #require(try OlderApp(door, credentials))
            let key = try await app.publishKey()
            #expect(key.userId == app.user)
            return app
        }

        @Test("two apps chat, each opens what the other has sealed, and a device on MQTT hears the same")
        func chat() async throws {
            let people = try gateway.people(2)
            let (alice, bob) = (try await app(people[0]), try await app(people[1]))
            let created: OlderConversation = try await alice.api.post(
                "conversations", OlderCreateConversation(type: "direct", participantIds: [bob.user]))
            // Bob's device over MQTT, and the WebSocket of its own token.
            let device = try gateway.connect(people[1])
            try device.listen(to: created.id, "messages", "typing", "receipts")
            let socket = try AppSocket.opened(door, people[1])
            let aliceSocket = try AppSocket.opened(door, people[0])

            let sent = try await alice.send("Good morning.", to: bob.user, in: created.id)
            #expect(sent.senderId == alice.user && sent.conversationId == created.id)
            #expect(abs(sent.createdAt.timeIntervalSinceNow) < 600)
            let overMQTT = try device.event("message.new", on: "conversations/\(created.id)/messages")
            let overWebSocket = try socket.event("message.new")
            #expect(overMQTT == overWebSocket)
            #expect(overWebSocket["suite"] == "legacy-nacl-box")
            let text = try await bob.open(
                overWebSocket["encrypted_content"].text, overWebSocket["nonce"].text, with: alice.user)
            #expect(text == "Good morning.")

            try socket.send("typing.start", ["conversation_id": .string(created.id)])
            let typing = try aliceSocket.event("typing.indicator") { $0["is_typing"] == true }
            #expect(typing["user_id"].text == bob.user && typing["conversation_id"].text == created.id)
            #expect(typing["username"].text == bob.user)
            try socket.send("typing.stop", ["conversation_id": .string(created.id)])
            _ = try aliceSocket.event("typing.indicator") { $0["is_typing"] == false && $0["user_id"].text == bob.user }
            _ = try device.take("typing over MQTT") { $0.json["data"]["is_typing"] == false }

            let _: Watermark = try await bob.api.post("conversations/\(created.id)/read", Read(messageId: sent.id))
            let read = try aliceSocket.event("message.read")
            #expect(read["user_id"].text == bob.user && read["last_read_message_id"].text == sent.id)

            // And the other way, from a device that speaks MQTT.
            let answer = message(created.id)
            try device.accepted("messages/send", answer)
            #expect(try aliceSocket.event("message.new") { $0["id"] == answer["id"] }["sender_id"].text == bob.user)
        }

        @Test("history comes page by page, newest first, until there is no more")
        func history() async throws {
            let people = try gateway.people(2)
            let (alice, bob) = (try await app(people[0]), try await app(people[1]))
            let created: OlderConversation = try await alice.api.post(
                "conversations", OlderCreateConversation(type: "direct", participantIds: [bob.user]))
            let texts = (1...7).map { "message \($0)" }
            for text in texts { _ = try await alice.send(text, to: bob.user, in: created.id) }

            var (pages, cursor): ([[OlderMessage]], String?) = ([], nil)
            repeat {
                var query = ["limit": "3"]
                query["before"] = cursor
                let page: OlderMessagePage = try await bob.api.get("conversations/\(created.id)/messages", query)
                #expect((page.nextCursor != nil) == page.hasMore)
                pages.insert(page.messages, at: 0)
                cursor = page.nextCursor
            } while cursor != nil
            #expect(pages.map(\.count) == [1, 3, 3])
            var opened: [String] = []
            for message in pages.joined() { opened.append(try await bob.open(message, with: alice.user)) }
            #expect(opened == texts)

            let list: OlderConversationList = try await bob.api.get(
                "conversations", ["limit": "10", "offset": "0", "archived": "false"])
            #expect(list.total == 1 && list.limit == 10 && list.offset == 0)
            #expect(list.conversations.map(\.id) == [created.id])
            #expect(list.conversations.first?.unreadCount == 7)
            let archived: OlderConversationList = try await bob.api.get("conversations", ["archived": "true"])
            #expect(archived.conversations.isEmpty)
        }

        @Test("an app that was away comes again with what it holds, and gets what it missed")
        func reconnect() async throws {
            let people = try gateway.people(2)
            let (alice, bob) = (try await app(people[0]), try await app(people[1]))
            let created: OlderConversation = try await alice.api.post(
                "conversations", OlderCreateConversation(type: "direct", participantIds: [bob.user]))
            let socket = try AppSocket.opened(door, people[1])
            _ = try await alice.send("one", to: bob.user, in: created.id)
            let held = try socket.event("message.new")
            socket.close()
            for text in ["two", "three"] { _ = try await alice.send(text, to: bob.user, in: created.id) }

            let again = try AppSocket.opened(door, people[1])
            let cursor: JSON = ["epoch": held["epoch"], "seq": held["seq"]]
            try again.send("resume", ["cursors": .object([created.id: cursor])])
            let missed = try again.event("resume")["conversations"].elements.first {
                $0["conversation_id"].text == created.id
            }
            var texts: [String] = []
            for message in missed?["messages"].elements ?? [] {
                texts.append(
                    try await bob.open(message["encrypted_content"].text, message["nonce"].text, with: alice.user))
            }
            #expect(texts == ["two", "three"])
            _ = try await alice.send("four", to: bob.user, in: created.id)
            #expect(try again.event("message.new")["seq"] == 4)
        }

        @Test("an app's mistakes come back with their status and the gateway's error")
        func mistakes() async throws {
            let credentials = try gateway.person()
            let stranger = try #require(OlderAPIClient(port: door.port, token: "not.a.token"))
            let status = await #expect(throws: OlderAPIError.self) {
                let _: OlderConversationList = try await stranger.get("conversations")
            }
            #expect(status?.status == 401 && status?.body["error"]["code"] == "unauthenticated")
            let alice = try await app(credentials)
            let missing = await #expect(throws: OlderAPIError.self) {
                let _: OlderPublicKey = try await alice.api.get("users/nobody-of-that-name/public-key")
            }
            #expect(missing?.status == 404 && missing?.body["ok"] == false)
        }
    }
}
