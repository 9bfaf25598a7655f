import Testing

extension GatewayTests {
    @Suite("Membership")
    struct MembershipTests {
        let gateway: TestGateway
        let alice: DeviceClient
        let bob: DeviceClient
        let carol: DeviceClient

        init() throws {
            let gateway = try SharedGateway.current
            self.gateway = gateway
            let clients = try gateway.people(3).map { try gateway.connect($0) }
            (alice, bob, carol) = (clients[0], clients[1], clients[2])
            for client in clients { try client.accepted("profile/set", ["message_privacy": "anyone"]) }
        }

        private func named(_ group: String, _ changes: JSON = [:]) -> JSON {
            let fields: JSON = ["conversation_id": .string(group)]
            return fields.with(changes)
        }

        /// A group of alice and others; its id.
        private func group(_ members: DeviceClient...) throws -> String {
            let made = try alice.accepted(
                "conversations/create",
                [
                    "type": "group", "name": "Morning run",
                    "participant_ids": .array(members.map { .string($0.user) }),
                ])
            return made["id"].text ?? ""
        }

        private func remove(_ client: DeviceClient, from group: String) throws {
            try alice.accepted("conversations/remove-member", named(group, ["user_id": .string(client.user)]))
        }

        private func add(_ client: DeviceClient, to group: String) throws -> JSON {
            try alice.accepted("conversations/add-members", named(group, ["user_ids": [.string(client.user)]]))
        }

        /// Messages of a group that have come up to what is sent now in another conversation.
        private func heard(
            _ client: DeviceClient, in group: String, upTo sentinel: String
        ) throws -> [Int] {
            let id = newID()
            try alice.accepted("messages/send", message(sentinel, id: id))
            let topic = "parley/v1/conversations/\(sentinel)/messages"
            _ = try client.take("the sentinel") { $0.topic == topic && $0.json["data"]["id"].text == id }
            return client.events(on: "conversations/\(group)/messages").compactMap { $0["data"]["seq"].int }
        }

        @Test("after a removal nothing more of the group arrives, and nobody puts the removed one back")
        func removal() throws {
            let (group, other) = (try group(bob, carol), try group(carol))
            try carol.listen(to: group, "messages", "info")
            try carol.listen(to: other, "messages")
            try carol.subscribe("parley/v1/users/\(carol.user)/events")
            try alice.accepted("messages/send", message(group))
            #expect(try heard(carol, in: group, upTo: other) == [1])

            try remove(carol, from: group)
            let removed = try carol.event("conversation.removed", on: "users/\(carol.user)/events")
            #expect(removed == ["conversation_id": .string(group)])
            try alice.accepted("messages/send", message(group))
            #expect(try heard(carol, in: group, upTo: other) == [1])
            for (operation, fields) in [
                ("conversations/get", [:]), ("history/get", [:]), ("conversations/update", ["is_muted": true]),
                ("conversations/add-members", ["user_ids": [.string(carol.user)]]),
            ] as [(String, JSON)] {
                #expect(try carol.refusal(operation, named(group, fields)) == "not_found")
                let nowhere = named(newID(), fields)
                #expect(
                    try carol.request(operation, named(group, fields))["error"]
                        == carol.request(operation, nowhere)["error"])
            }
            #expect(try carol.refusal("messages/send", message(group)) == "not_found")
            let list = try carol.accepted("conversations/list")["conversations"].elements.map { $0["id"].text }
            #expect(list == [other])

            let putting = named(group, ["user_ids": [.string(carol.user)]])
            #expect(try alice.refusal("conversations/add-members", putting) == "forbidden")
            try alice.accepted("messages/send", message(group))
            #expect(try heard(carol, in: group, upTo: other) == [1])
            #expect(carol.events(on: "users/\(carol.user)/events").isEmpty)
            // The same is said of one who left by herself.
            try bob.accepted("conversations/leave", named(group))
            let back = named(group, ["user_ids": [.string(bob.user)]])
            #expect(
                try alice.request("conversations/add-members", back)["error"]
                    == alice.request("conversations/add-members", putting)["error"])
        }

        @Test("what had waited for a device that was away is not delivered to it after the removal")
        func queued() throws {
            let (group, other) = (try group(carol), try group(carol))
            let credentials = try gateway.device("tablet", of: carol.user)
            let options = DeviceClient.Options(keepsSession: 3600)
            let away = try gateway.connect(credentials, options)
            try away.listen(to: group, "messages")
            try away.listen(to: other, "messages")
            away.disconnect()
            try alice.accepted("messages/send", message(other))
            try alice.accepted("messages/send", message(group))
            try remove(carol, from: group)
            try alice.accepted("messages/send", message(group))
            let back = try gateway.connect(credentials, options)
            #expect(try heard(back, in: group, upTo: other).filter { $0 > 1 }.isEmpty)
            #expect(back.events(on: "conversations/\(other)/messages").count == 1)
        }

        @Test("whoever joins sees what comes after, and of the rest nothing is there")
        func views() throws {
            let group = try group(bob)
            let before = newID()
            try alice.accepted("messages/send", message(group, id: before))
            for _ in 0..<2 { try alice.accepted("messages/send", message(group)) }
            _ = try add(carol, to: group)
            let after = newID()
            try alice.accepted("messages/send", message(group, id: after))
            func page(_ client: DeviceClient, _ fields: JSON = [:]) throws -> JSON {
                try client.accepted("history/get", named(group, fields))
            }
            func seqs(_ page: JSON) -> [Int] { page["messages"].elements.compactMap { $0["seq"].int } }
            let newest = try page(carol)
            #expect(seqs(newest) == [4, 5])
            #expect(newest["messages"][0]["system"]["event"] == "member.added")
            #expect(newest["found_oldest"] == true && newest["has_more"] == false && newest["last_seq"] == 5)
            #expect(try seqs(page(bob)) == [1, 2, 3, 4, 5])
            for fields in [["before": 4], ["before": 2], ["after": 5]] as [JSON] {
                #expect(try page(carol, fields)["messages"] == [])
            }
            #expect(try seqs(page(carol, ["after": 0, "limit": 1])) == [4])
            #expect(try seqs(page(carol, ["around": 1])) == [4, 5])
            for field in ["before", "after", "around"] {
                let refused = try carol.refusal("history/get", named(group, [field: .string(before)]))
                #expect(
                    try refused == "not_found"
                        && bob.refusal("history/get", named(group, [field: .string(before)])) == nil)
            }
            #expect(try carol.refusal("messages/send", message(group, ["reply_to": .string(before)])) == "not_found")
            #expect(try carol.refusal("messages/send", message(group, ["reply_to": .string(after)])) == nil)
            let read = { (id: String) in self.named(group, ["message_id": .string(id)]) }
            #expect(try carol.refusal("receipts/read", read(before)) == "not_found")
            #expect(try carol.refusal("receipts/read", read(after)) == nil)
        }

        @Test("a list shows one who has joined no message from before, and counts none")
        func listed() throws {
            let group = try group(bob)
            for _ in 0..<3 { try alice.accepted("messages/send", message(group)) }
            _ = try add(carol, to: group)
            func row(_ client: DeviceClient) throws -> JSON {
                try client.accepted("conversations/list")["conversations"][0]
            }
            #expect(try row(carol)["last_message"] == .null && row(carol)["unread_count"] == 0)
            #expect(try row(bob)["last_message"]["seq"] == 3 && row(bob)["unread_count"] == 3)
            try alice.accepted("messages/send", message(group))
            #expect(try row(carol)["last_message"]["seq"] == 5 && row(carol)["unread_count"] == 1)
        }

        @Test("the last admin is followed by the longest member, and the last member leaves nothing behind")
        func leaving() throws {
            let group = try group(bob)
            _ = try add(carol, to: group)
            let left = try alice.accepted("conversations/leave", named(group))
            let roles = Dictionary(
                uniqueKeysWithValues: left["members"].elements.map { ($0["user_id"].text ?? "", $0["role"]) })
            #expect(roles == [bob.user: "admin", carol.user: "member"])
            #expect(
                try carol.refusal("conversations/remove-member", named(group, ["user_id": .string(bob.user)]))
                    == "forbidden")
            try bob.accepted("conversations/update", named(group, ["name": "Without her"]))
            #expect(try alice.accepted("conversations/leave", named(group)) == left)
            #expect(try alice.refusal("conversations/get", named(group)) == "not_found")
            for client in [bob, carol] { try client.accepted("conversations/leave", named(group)) }
            let console = try gateway.operatorClient()
            let (info, status) = ("parley/v1/conversations/\(group)/info", "parley/v1/gateway/status")
            try console.subscribe(info)
            try console.subscribe(status)
            _ = try console.take("the retained status") { $0.topic == status }
            #expect(console.events(on: "conversations/\(group)/info").isEmpty)
        }

        @Test("a direct conversation is of its two, and can be archived")
        func direct() throws {
            let made = try alice.accepted(
                "conversations/create", ["type": "direct", "participant_ids": [.string(bob.user)]])
            let direct = made["id"].text ?? ""
            try alice.accepted("messages/send", message(direct))
            for (operation, fields, code) in [
                ("conversations/leave", [:], "forbidden"),
                ("conversations/add-members", ["user_ids": [.string(carol.user)]], "forbidden"),
                ("conversations/remove-member", ["user_id": .string(bob.user)], "forbidden"),
                ("conversations/set-role", ["user_id": .string(bob.user), "role": "admin"], "forbidden"),
                ("conversations/update", ["name": "Us"], "bad_request"),
            ] as [(String, JSON, String)] {
                #expect(try alice.refusal(operation, named(direct, fields)) == code)
            }
            let archived = try alice.accepted("conversations/update", named(direct, ["is_archived": true]))
            #expect(archived["is_archived"] == true && archived["unread_count"] == 0)
        }

        @Test("what one wants of a conversation is one's own, and a new message brings it back from the archive")
        func settings() throws {
            let group = try group(bob)
            let laptop = try gateway.connect(try gateway.device("laptop", of: bob.user))
            try laptop.subscribe("parley/v1/users/\(bob.user)/events")
            let until: JSON = "2100-01-01T00:00:00.000Z"
            let set = try bob.accepted(
                "conversations/update",
                named(group, ["muted_until": until, "is_archived": true, "is_unread": true]))
            #expect(
                [set["is_muted"], set["muted_until"], set["is_archived"], set["is_unread"]] == [
                    true, until, true, true,
                ])
            let event = try laptop.event("conversation.settings", on: "users/\(bob.user)/events")
            #expect(
                event == [
                    "conversation_id": .string(group), "is_muted": true, "muted_until": until, "is_archived": true,
                    "is_unread": true,
                ])
            func lists(_ client: DeviceClient) throws -> [JSON] {
                try [false, true].map { archived in
                    try client.accepted("conversations/list", ["archived": .bool(archived)])["total"]
                }
            }
            #expect(try lists(bob) == [0, 1])
            #expect(try lists(alice) == [1, 0])
            try alice.accepted("messages/send", message(group))
            #expect(try lists(bob) == [1, 0])
            let past = try bob.accepted(
                "conversations/update", named(group, ["muted_until": "2020-01-01T00:00:00.000Z"]))
            #expect(past["is_muted"] == false && past["muted_until"] == .null)
        }
    }
}
