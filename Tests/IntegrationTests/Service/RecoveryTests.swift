import Foundation
import MQTTClient
import ParleyProtocol
import ParleyRules
import ParleyStore
import Testing

/// What a gateway makes good of what an earlier process, or a broker, took with it. Each test has a gateway of its own.
@Suite("Recovery")
struct RecoveryTests {
    private func seqs(_ events: [JSON]) -> [Int] { events.compactMap { $0["data"]["seq"].int } }

    /// Adds records as an earlier process would have that was killed between COMMIT and publishing.
    private func commitUnpublished(_ count: Int, in conversation: String, by sender: DeviceClient, _ store: Store)
        throws
    {
        let address = DeviceAddress(user: UserID(validated: sender.user), device: DeviceID(validated: sender.device))
        let id = try #require(ConversationID(conversation))
        try store.write { transaction in
            guard var state = try transaction.facts.conversation(id) else { return }
            let position = try transaction.facts.lastPosition()
            for offset in 1...count {
                let sent = SendMessage(
                    id: .random(), conversation: id, type: .text, suite: .naclBox,
                    content: [UInt8](repeating: 1, count: 16), nonce: [UInt8](repeating: 2, count: 24))
                let record = MessageRecord(
                    sent, sender: address, epoch: state.facts.epoch, seq: state.facts.lastSeq + 1,
                    createdAt: state.facts.updatedAt)
                try transaction.insert(
                    record, conversation: state.key, position: position + offset,
                    digest: [UInt8](repeating: 3, count: 16))
                state.facts.lastSeq += 1
            }
            try transaction.updateLog(state)
        }
    }

    @Test("what was committed and not published goes out before anything new, without a gap")
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
}
