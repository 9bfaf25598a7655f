import Testing

extension GatewayTests {
    /// Groups through a real broker and its plugin: who hears what, and who comes in.
    @Suite("Groups that train together")
    final class TrainingGroupTests: TrioSuite {
        /// A group of Alice's; its id.
        private func group() throws -> String {
            try alice.accepted("groups/create", ["id": .string(newID()), "name": "Runners", "time_zone": "UTC"])["id"]
                .text ?? ""
        }

        private func named(_ group: String, _ changes: JSON = [:]) -> JSON {
            let fields: JSON = ["group_id": .string(group)]
            return fields.with(changes)
        }

        private func token(for group: String, _ changes: JSON = [:]) throws -> String {
            try alice.accepted("invites/create", named(group, changes))["token"].text ?? ""
        }

        private func accept(_ token: String, by user: DeviceClient) throws -> JSON {
            try user.request("invites/accept", ["token": .string(token)])
        }

        private func subscribe(_ client: DeviceClient, _ group: String, _ channel: String = "events") throws -> UInt8 {
            try client.subscribe("parley/v1/groups/\(group)/\(channel)")
        }

        @Test("members hear their group, a stranger's subscription is refused, and who is removed hears no more")
        func hearing() throws {
            let group = try group()
            let topic = "groups/\(group)/events"
            #expect(try subscribe(alice, group) == 1)
            for filter in ["events", "#", "leaderboards/streak", "+/check-ins"] {
                #expect(try subscribe(bob, group, filter) == 0x87, "\(filter)")
            }
            #expect(try subscribe(alice, "+") == 0x87)
            let token = try token(for: group)
            try bob.subscribe("parley/v1/users/\(bob.user)/events")
            #expect(try accept(token, by: bob)["ok"] == true)
            #expect(try bob.event("group.joined", on: "users/\(bob.user)/events")["id"].text == group)
            let joined = try alice.event("group.member_joined", on: topic)
            #expect(joined["user_id"].text == bob.user && joined["by"].text == alice.user)
            #expect(try subscribe(bob, group) == 1)
            #expect(try subscribe(bob, group, "leaderboards/+") == 1)

            try alice.accepted("groups/update", named(group, ["name": "Walkers"]))
            for client in [alice, bob] { #expect(try client.event("group.updated", on: topic)["name"] == "Walkers") }
            try alice.accepted("groups/remove-member", named(group, ["user_id": .string(bob.user)]))
            #expect(try alice.event("group.member_removed", on: topic)["user_id"].text == bob.user)
            _ = try bob.event("conversation.removed", on: "users/\(bob.user)/events")
            try alice.accepted("groups/update", named(group, ["name": "Swimmers"]))
            _ = try alice.event("group.updated", on: topic)
            // Earlier events have come before this reply.
            #expect(try bob.refusal("groups/get", named(group)) == "not_found")
            #expect(bob.events(on: topic).isEmpty)
            #expect(try subscribe(carol, group) == 0x87)
            // The invite from before brings nobody back; one from after it does, and the old subscription with it.
            #expect(try accept(token, by: bob)["error"]["code"] == "invite_invalid")
            #expect(try accept(try self.token(for: group), by: bob)["ok"] == true)
            try alice.accepted("groups/update", named(group, ["name": "Cyclists"]))
            #expect(try bob.event("group.updated", on: topic)["name"] == "Cyclists")
        }

        @Test("an ended group is heard by nobody, and retains nothing")
        func ending() throws {
            let group = try group()
            #expect(try accept(try token(for: group), by: bob)["ok"] == true)
            for client in [alice, bob] {
                try client.subscribe("parley/v1/users/\(client.user)/events")
                #expect(try subscribe(client, group, "#") == 1)
            }
            try alice.accepted("groups/delete", named(group))
            for client in [alice, bob] {
                let events = "users/\(client.user)/events"
                #expect(try client.event("conversation.removed", on: events)["conversation_id"].text == group)
                #expect(try client.event("group.deleted", on: events)["group_id"].text == group)
                #expect(try client.accepted("groups/list")["groups"].elements.isEmpty)
                #expect(try subscribe(client, group, "+") == 0x87)
            }
            let console = try gateway.operatorClient()
            try console.subscribe("parley/v1/groups/\(group)/#")
            try console.subscribe("parley/v1/conversations/\(group)/info")
            _ = try console.accepted("gateway/info")
            #expect(console.takeAll().allSatisfy { !$0.isRetained })
        }

        @Test("50 who accept at the same instant: as many come as there is room for, and each is told which")
        func fiftyAtOnce() throws {
            let group = try group()
            let token = try token(for: group, ["uses": 30])
            #expect(try subscribe(alice, group) == 1)
            let people = try gateway.clients(50)
            let request: JSON = ["token": .string(token)]
            let asked = try people.map { try $0.ask("invites/accept", request.bytes) }
            let replies = try zip(people, asked).map { (user: $0.user, reply: try $0.reply(to: $1)) }

            let accepted = replies.filter { $0.reply["ok"] == true }
            let refused = replies.filter { $0.reply["ok"] != true }
            #expect(accepted.count == 9 && refused.count == 41)
            #expect(refused.allSatisfy { $0.reply["error"]["code"] == "group_full" })
            let members = try alice.accepted("groups/get", named(group))["members"].elements.map { $0["user_id"].text }
            #expect(Set(members) == Set(accepted.map(\.user) + [alice.user]) && members.count == 10)
            let joined = alice.events(on: "groups/\(group)/events").compactMap { $0["data"]["user_id"].text }
            #expect(joined.count == 9 && Set(joined) == Set(accepted.map(\.user)))
            let left = try alice.accepted("invites/list", named(group))["items"].elements.first?["uses_left"].int
            #expect(left == 21)
            // As soon as one goes, one comes.
            let refusedOne = try #require(people.first { $0.user == refused.first?.user })
            #expect(try accept(token, by: refusedOne)["error"]["code"] == "group_full")
            let leaver = try #require(people.first { $0.user == accepted.first?.user })
            try leaver.accepted("groups/leave", named(group))
            #expect(try accept(token, by: refusedOne)["ok"] == true)
        }
    }
}
