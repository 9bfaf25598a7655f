import Glibc
import ParleyProtocol
import ParleyRules
import ParleyStore
import TestSupport
import Testing

/// Recovery after the end of a process or of the broker. Each test has a gateway of its own.
@Suite("Recovery", .ownThreads)
struct RecoveryTests {
    private func seqs(_ events: [JSON]) -> [Int] { events.compactMap { $0["data"]["seq"].int } }

    /// Adds records as an earlier process would have that was killed between COMMIT and publishing.
    private func commitUnpublished(_ count: Int, in conversation: String, by sender: DeviceClient, _ store: Store)
        throws
    {
        let address = sender.credentials.address
        let id = try #require(ConversationID(conversation))
        try store.write { transaction in
            guard var state = try transaction.facts.conversations.conversation(id) else { return }
            var position = try transaction.facts.outbox.lastPosition()
            for _ in 1...count {
                position = try position.next()
                let sent = SendMessage(
                    id: .random(), conversation: id, type: .text, suite: .naclBox,
                    content: [UInt8](repeating: 1, count: 16), nonce: [UInt8](repeating: 2, count: 24))
                let record = MessageRecord(
                    sent, sender: address, epoch: state.facts.epoch, seq: state.facts.lastSeq + 1,
                    createdAt: state.facts.updatedAt)
                try transaction.records.insert(
                    record, conversation: state.key, position: position,
                    digest: [UInt8](repeating: 3, count: 16))
                state.facts.append(record)
            }
            try transaction.conversations.updateLog(&state)
        }
    }

    @Test(
        "what was committed and not published goes out before anything new, without a gap", .oneMachine(.databaseFile))
    func unpublishedFirst() throws {
        let gateway = try TestGateway()
        let (alice, bob, conversation) = try gateway.pair()
        try bob.listen(to: conversation, "messages")
        gateway.endParleyd()
        // More than is read from the store at once.
        try commitUnpublished(1000, in: conversation, by: alice, Store(path: gateway.database))
        // These wait in the broker: they are carried out at once when the gateway is back.
        for _ in 0..<50 { try alice.publish("\(alice.up)/messages/send", message(conversation).bytes) }
        try gateway.startParleyd()
        let topic = "conversations/\(conversation)/messages"
        try bob.until("1050 events") { bob.inbox.count >= 1050 ? () : nil }
        #expect(seqs(bob.events(on: topic)) == Array(1...1050))
    }

    @Test(
        "a request that was sent while the gateway was away is carried out when it is back", .oneMachine(.oneBroker))
    func queued() throws {
        let gateway = try TestGateway()
        let (alice, bob, conversation) = try gateway.pair()
        try bob.listen(to: conversation, "messages", "typing")
        gateway.endParleyd(SIGKILL)
        let sent = message(conversation)
        let asked = try alice.ask("messages/send", sent.bytes)
        let typing: JSON = ["conversation_id": .string(conversation)]
        try alice.publish("\(alice.up)/typing/start", typing.bytes)
        try gateway.startParleyd()
        #expect(try alice.reply(to: asked)["data"]["seq"] == 1)
        #expect(try bob.event("message.new", on: "conversations/\(conversation)/messages")["id"] == sent["id"])
        // Typing that waited makes no sense any more; what comes now does.
        try bob.accepted("profile/get")
        #expect(bob.events(on: "conversations/\(conversation)/typing").isEmpty)
        try eventually("typing that is heard") {
            try alice.publish("\(alice.up)/typing/start", typing.bytes)
            try bob.accepted("profile/get")
            return bob.events(on: "conversations/\(conversation)/typing").isEmpty ? nil : ()
        }
    }

    @Test(
        "a request that a device had sent before it was revoked is nobody's, and does nothing",
        .oneMachine(.databaseFile))
    func revokedMeanwhile() throws {
        let gateway = try TestGateway()
        let (alice, bob, conversation) = try gateway.pair()
        gateway.endParleyd()
        try alice.publish("\(alice.up)/messages/send", message(conversation).bytes)
        let address = alice.credentials.address
        try Store(path: gateway.database).write { try $0.devices.revoke(address, at: Timestamp(milliseconds: 1)) }
        try gateway.startParleyd()
        let console = try gateway.operatorClient()
        try console.subscribe("parley/v1/gateway/stats/rejected")
        _ = try console.take("the refusal in the statistics") { $0.payload == Array("1".utf8) }
        let page = try bob.accepted("history/get", ["conversation_id": .string(conversation)])
        #expect(page["last_seq"] == 0)
    }

    @Test("the broker killed, devices and gateway find each other again, and what was answered is there")
    func brokerKilled() throws {
        let gateway = try TestGateway()
        let (alice, bob, conversation) = try gateway.pair()
        let sent = message(conversation)
        let first = try alice.accepted("messages/send", sent)
        gateway.endBroker(SIGKILL)
        try gateway.startBroker()
        let again = try gateway.connect(alice.credentials)
        #expect(try again.accepted("messages/send", sent) == first)
        let page = try gateway.connect(bob.credentials).accepted(
            "history/get", ["conversation_id": .string(conversation)])
        #expect(page["messages"].elements.map { $0["id"] } == [sent["id"]])
        #expect(gateway.isParleydRunning)
    }
}
