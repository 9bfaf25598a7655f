import MQTTWire
import ParleyProtocol
import TestSupport
import Testing

extension GatewayTests.WebTests {
    /// What an app hears on `/ws`, and how long.
    @Suite("WebSocket")
    final class EventSocketTests: DoorSuite {
        /// Two people with apps on WebSockets and devices on MQTT, and their conversation.
        private func pair() throws -> (alice: DeviceClient, bob: DeviceClient, conversation: String, socket: AppSocket)
        {
            let (alice, bob, conversation) = try gateway.pair()
            return (alice, bob, conversation, try AppSocket.opened(door, bob.credentials))
        }

        @Test("a conversation that is made later is heard, and one that the user was removed from no more")
        func conversations() throws {
            let (alice, bob, direct, socket) = try pair()
            let carol = try gateway.client()
            let group = try alice.group(with: bob, carol)
            _ = try socket.event("conversation.created") { $0["id"].text == group }
            // The app hears of it when the door has subscribed to it.
            let (sent, next) = (message(group), message(direct))
            try alice.accepted("messages/send", sent)
            try alice.accepted("messages/send", next)
            _ = try socket.event("message.new") { $0["id"] == next["id"] }
            #expect(socket.inbox.contains { $0["data"]["id"] == sent["id"] })
            try alice.accepted(
                "conversations/remove-member", ["conversation_id": .string(group), "user_id": .string(bob.user)])
            _ = try socket.event("conversation.removed")
            let unheard = message(group)
            try alice.accepted("messages/send", unheard)
            let last = message(direct)
            try alice.accepted("messages/send", last)
            _ = try socket.event("message.new") { $0["id"] == last["id"] }
            #expect(!socket.inbox.contains { $0["data"]["id"] == unheard["id"] })
        }

        @Test("an app that comes again soon hears a conversation that was made meanwhile")
        func cameAgain() throws {
            let (alice, bob, direct, socket) = try pair()
            try socket.send(WebSocketFrame(.close, [0x03, 0xE8]))
            #expect(try socket.awaitClose() == 1000)
            let group = try alice.group(with: bob, try gateway.client())
            let again = try AppSocket.opened(door, bob.credentials)
            let (sent, last) = (message(group), message(direct))
            try alice.accepted("messages/send", sent)
            try alice.accepted("messages/send", last)
            _ = try again.event("message.new") { $0["id"] == last["id"] }
            #expect(again.inbox.contains { $0["data"]["id"] == sent["id"] })
        }

        @Test("a friend's presence and activity are heard, a stranger's not")
        func friends() throws {
            let (alice, bob, conversation, _) = try pair()
            try alice.befriend(bob)
            let socket = try AppSocket.opened(door, bob.credentials)
            #expect(try socket.event("presence.updated") { $0["user_id"].text == alice.user }["state"] == "online")
            let stranger = try gateway.client()
            let item: JSON = ["id": .string(newID()), "type": "goal_reached", "title": "10,000 steps"]
            try stranger.accepted("activity/post", item.with(["id": .string(newID())]))
            try alice.accepted("activity/post", item)
            let heard = try socket.event("activity.new")
            #expect(heard["id"] == item["id"] && heard["user_id"].text == alice.user)
            let last = message(conversation)
            try alice.accepted("messages/send", last)
            _ = try socket.event("message.new") { $0["id"] == last["id"] }
            #expect(!socket.inbox.contains { $0["data"]["user_id"].text == stranger.user })
        }

        @Test("a group is heard from joining it")
        func groups() throws {
            let (alice, bob, _, socket) = try pair()
            let group = try alice.accepted(
                "groups/create", ["id": .string(newID()), "name": "Runners", "time_zone": "UTC"])
            let token = try alice.accepted("invites/create", ["group_id": group["id"]])["token"]
            try bob.accepted("invites/accept", ["token": token])
            _ = try socket.event("group.joined") { $0["id"] == group["id"] }
            var renamed = 0
            _ = try eventually("an event of the group") { () -> Bool? in
                renamed += 1
                try alice.accepted("groups/update", ["group_id": group["id"], "name": .string("Walkers \(renamed)")])
                let fence = try alice.conversation(with: bob.user)
                let last = message(fence)
                try alice.accepted("messages/send", last)
                _ = try socket.event("message.new") { $0["id"] == last["id"] }
                return socket.types.contains("group.updated") ? true : nil
            }
        }

        @Test("a revoked device's WebSocket is closed with 4401, and its token opens none")
        func revoked() throws {
            let (_, bob, _, socket) = try pair()
            let console = try gateway.operatorClient()
            defer { console.disconnect() }
            try console.accepted("admin/revoke-device", ["user_id": .string(bob.user), "device_id": "phone"])
            #expect(try socket.awaitClose() == 4401)
            try eventually("a refusal") { () -> Bool? in
                do {
                    let again = try AppSocket(door, token: bob.credentials.password)
                    _ = try again.awaitClose()
                    return nil
                } catch let refused as AppSocket.Refused {
                    return refused.answer.status == 401 ? true : nil
                }
            }
        }

        @Test("two WebSockets of one token hear the same, and go on without each other")
        func twoOfOneToken() throws {
            let (alice, bob, conversation, one) = try pair()
            let other = try AppSocket.opened(door, bob.credentials)
            let first = message(conversation)
            try alice.accepted("messages/send", first)
            for socket in [one, other] { _ = try socket.event("message.new") { $0["id"] == first["id"] } }
            one.close()
            let second = message(conversation)
            try alice.accepted("messages/send", second)
            _ = try other.event("message.new") { $0["id"] == second["id"] }
        }

        @Test("WebSockets of several users and devices each hear their own")
        func severalTokens() throws {
            let (alice, bob, conversation, phone) = try pair()
            let tablet = try AppSocket.opened(door, try gateway.device("tablet", of: bob.user))
            let stranger = try gateway.clients(2)
            let apart = try AppSocket.opened(door, stranger[0].credentials)
            let sent = message(conversation)
            try alice.accepted("messages/send", sent)
            for socket in [phone, tablet] { _ = try socket.event("message.new") { $0["id"] == sent["id"] } }
            let between = message(try stranger[1].conversation(with: stranger[0].user))
            _ = try apart.event("conversation.created") { $0["id"] == between["conversation_id"] }
            try stranger[1].accepted("messages/send", between)
            #expect(try apart.event("message.new")["id"] == between["id"])
        }

        @Test("a newer token of the same device takes over: the old one's WebSocket is told so")
        func newerToken() throws {
            let (alice, bob, conversation, old) = try pair()
            let renewed = try bob.accepted("devices/renew")
            var credentials = bob.credentials
            credentials = DeviceCredentials(
                username: credentials.username, clientID: credentials.clientID,
                password: renewed["password"].text ?? "", expiresAt: credentials.expiresAt)
            let new = try AppSocket.opened(door, credentials)
            let code = try old.awaitClose()
            #expect([4401, 4409, 1012].contains(code), "\(code ?? 0)")
            let sent = message(conversation)
            try alice.accepted("messages/send", sent)
            _ = try new.event("message.new") { $0["id"] == sent["id"] }
        }

        @Test("a ticket opens one WebSocket, once; garbage and tokens in the query open none")
        func tickets() throws {
            let (_, bob, _, _) = try pair()
            let made = try door.ask("POST", "/api/v1/ws-ticket", [:], as: bob.credentials)
            #expect(made.status == 200 && made.json["expires_in"] == 30)
            let ticket = made.json["ticket"].text ?? ""
            let socket = try AppSocket(door, token: nil, query: "?ticket=\(ticket)")
            #expect(try socket.event("connection.established")["user_id"].text == bob.user)
            let flipped = String(ticket.dropLast(2)) + (ticket.hasSuffix("AA") ? "BB" : "AA")
            for query in [
                "?ticket=\(ticket)", "?ticket=\(flipped)", "?ticket=", "?ticket=x",
                "?ticket=\(bob.credentials.password)",
                "?token=\(bob.credentials.password)", "", "?ticket=\(String(repeating: "A", count: 4000))",
            ] {
                let refused = try #require(throws: AppSocket.Refused.self, "\(query.prefix(20))") {
                    _ = try AppSocket(door, token: nil, query: query)
                }
                #expect(refused.answer.status == 401 && refused.answer.code == "unauthenticated")
            }
            let lenient = try TestDoor(gateway, ["--token-in-url", "--log-level", "debug"])
            let named = try AppSocket(lenient, token: nil, query: "?token=\(bob.credentials.password)")
            _ = try named.event("connection.established")
            #expect(!lenient.log.contains(bob.credentials.password))
        }

        @Test("a page of another origin opens no WebSocket")
        func origins() throws {
            let credentials = try gateway.person()
            for origin in ["https://evil.example", "null", "http://door.example.evil"] {
                let refused = try #require(throws: AppSocket.Refused.self) {
                    _ = try AppSocket(door, token: credentials.password, ["Origin: \(origin)"])
                }
                #expect(refused.answer.status == 403)
            }
            let own = try AppSocket(door, token: credentials.password, ["Origin: https://door.example"])
            _ = try own.event("connection.established")
        }
    }
}
