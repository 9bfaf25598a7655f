import ParleyProtocol
import Testing

extension GatewayTests {
    /// Writing to a stranger and what they do about it, through the real broker.
    @Suite("A message request, through the real broker")
    struct MessageRequestFlowTests {
        private let alice: DeviceClient
        private let bob: DeviceClient
        private let conversation: String
        private var topic: String { "conversations/\(conversation)" }

        init() throws {
            let gateway = try SharedGateway.current
            let people = try gateway.people(2, privacy: .followers)
            (alice, bob) = (try gateway.connect(people[0]), try gateway.connect(people[1]))
            try bob.subscribe("parley/v1/users/\(bob.user)/events")
            let made = try alice.accepted(
                "conversations/create", ["type": "direct", "participant_ids": [.string(bob.user)]])
            conversation = made["id"].text ?? ""
            try alice.listen(to: conversation, "messages", "typing", "receipts")
        }

        private func request() throws -> String {
            let id = newID()
            try alice.accepted("messages/send", message(conversation, id: id))
            return id
        }

        /// Everything of the conversation that bob is refused or does not have.
        private func expectNothingOfIt() throws {
            let named: JSON = ["conversation_id": .string(conversation)]
            for operation in ["conversations/get", "history/get"] {
                #expect(try bob.refusal(operation, named) == "not_found")
            }
            #expect(try bob.accepted("conversations/list")["total"].int == 0)
            for channel in ["messages", "receipts", "typing", "info"] {
                #expect(try bob.subscribe("parley/v1/\(topic)/\(channel)") == 0x87)
            }
            #expect(bob.inbox.allSatisfy { !$0.topic.contains("/conversations/") })
        }

        @Test("a request is announced and listed, and nothing else of it reaches anybody")
        func requestIsAnnounced() throws {
            try expectNothingOfIt()
            #expect(bob.events(on: "users/\(bob.user)/events").isEmpty)
            let id = try request()
            let announced = try bob.event("message.request", on: "users/\(bob.user)/events")
            #expect(announced["user_id"].text == alice.user && announced["conversation_id"].text == conversation)
            #expect(announced["message"]["id"].text == id)
            let items = try bob.accepted("requests/list")["items"]
            #expect(items.elements.count == 1 && items[0] == announced)
            #expect(try alice.event("message.new", on: "\(topic)/messages")["id"].text == id)
            try expectNothingOfIt()

            // Neither side's typing or receipts are told.
            let named: JSON = ["conversation_id": .string(conversation), "message_id": .string(id)]
            try alice.send("\(alice.up)/typing/start", named.bytes)
            try bob.send("\(bob.up)/typing/start", named.bytes)
            for operation in ["receipts/delivered", "receipts/read"] {
                #expect(try bob.refusal(operation, named) == "not_found")
            }
            #expect(try alice.refusal("messages/send", message(conversation)) == "request_limit")
            #expect(alice.events(on: "\(topic)/typing").isEmpty && alice.events(on: "\(topic)/receipts").isEmpty)
        }

        @Test(
            "accepting, answering and following back open it for both",
            arguments: ["requests/accept", "messages/send", "social/follow"])
        func opening(by operation: String) throws {
            let id = try request()
            if operation == "social/follow" { try alice.accepted(operation, ["user_id": .string(bob.user)]) }
            let fields: JSON =
                switch operation {
                case "requests/accept": ["conversation_id": .string(conversation)]
                case "messages/send": message(conversation)
                default: ["user_id": .string(alice.user)]
                }
            try bob.accepted(operation, fields)
            let created = try bob.event("conversation.created", on: "users/\(bob.user)/events")
            #expect(created["id"].text == conversation)
            try bob.listen(to: conversation, "messages")
            let history = try bob.accepted("history/get", ["conversation_id": .string(conversation)])
            #expect(history["messages"][0]["id"].text == id)
            let listed = try bob.accepted("conversations/list")["conversations"]
            #expect(listed.elements.map { $0["id"].text } == [conversation])
            #expect(try bob.accepted("requests/list")["items"].elements.isEmpty)
            let next = newID()
            try alice.accepted("messages/send", message(conversation, id: next))
            _ = try bob.take("the next message") { $0.json["data"]["id"].text == next }
        }

        @Test("a declined asker is told what they were told before")
        func declinedHearTheSame() throws {
            _ = try request()
            let other: JSON = ["user_id": .string(bob.user)]
            let before = try alice.accepted("social/can-message", other)
            try bob.accepted("requests/decline", ["conversation_id": .string(conversation)])
            try expectNothingOfIt()
            #expect(try alice.accepted("social/can-message", other) == before)
            #expect(try alice.refusal("messages/send", message(conversation)) == "request_limit")
        }

        @Test("strangers learn nothing of it")
        func strangersLearnNothing() throws {
            _ = try request()
            let gateway = try SharedGateway.current
            let mallory = try gateway.connect(try gateway.person())
            let (known, unknown): (JSON, JSON) = (
                ["conversation_id": .string(conversation)], ["conversation_id": .string(newID())]
            )
            for operation in ["requests/accept", "requests/decline", "conversations/get", "history/get"] {
                let answers = try [known, unknown].map { try mallory.request(operation, $0)["error"] }
                #expect(answers[0]["code"].text == "not_found" && answers[0] == answers[1])
            }
            let sent = try [conversation, newID()].map { try mallory.request("messages/send", message($0))["error"] }
            #expect(sent[0]["code"].text == "not_found" && sent[0] == sent[1])
            #expect(try mallory.refusal("requests/list", ["cursor": "AAAA"]) == "bad_request")
        }
    }
}
