import Testing

extension GatewayTests {
    @Suite("Membership")
    final class MembershipTests: TrioSuite {
        private func named(_ group: String, _ changes: JSON = [:]) -> JSON {
            let fields: JSON = ["conversation_id": .string(group)]
            return fields.with(changes)
        }

        private func remove(_ client: DeviceClient, from group: String) throws {
            try alice.accepted("conversations/remove-member", named(group, ["user_id": .string(client.user)]))
        }

        private func add(_ client: DeviceClient, to group: String) throws -> JSON {
            try alice.accepted("conversations/add-members", named(group, ["user_ids": [.string(client.user)]]))
        }

        /// Messages of a group that have come before a message that is sent now in another conversation.
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
            let (group, other) = (try alice.group(with: bob, carol), try alice.group(with: carol))
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
            let (group, other) = (try alice.group(with: carol), try alice.group(with: carol))
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

        @Test("a list shows one who has joined no message from before, and counts none")
        func listed() throws {
            let group = try alice.group(with: bob)
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
    }
}
