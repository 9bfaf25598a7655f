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
            let clients = try gateway.clients(2, privacy: .followers)
            (alice, bob) = (clients[0], clients[1])
            try bob.subscribe("parley/v1/users/\(bob.user)/events")
            conversation = try alice.conversation(with: bob.user)
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
            let earlier = bob.events(on: "users/\(bob.user)/events").compactMap { $0["type"].text }
            // A cell to which somebody comes for the first time may publish what happened up to a second before.
            #expect(earlier.isEmpty || SiteForm.current.hasCells && Set(earlier) == ["device.added"], "\(earlier)")
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
    }
}
