import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("A message's own event as the reply to it")
struct EchoTests {
    private let alice = device("alice/phone")
    private let message = SendMessage(
        id: .random(), conversation: .random(), type: .text, suite: .naclBox,
        content: [UInt8](repeating: 7, count: 40), nonce: [UInt8](repeating: 9, count: 24), echoIsReply: true)

    private func record(
        kind: RecordKind = .message, sender: DeviceAddress? = nil, content: [UInt8]? = nil
    ) -> MessageRecord {
        MessageRecord(
            id: message.id, conversation: message.conversation, epoch: "e", seq: 5, kind: kind, target: nil,
            sender: sender ?? alice, type: .text, suite: .naclBox, content: content ?? message.sealed.content,
            nonce: message.sealed.nonce, recipientKeys: nil, replyTo: nil, expiresAt: nil,
            createdAt: Timestamp(milliseconds: 1_768_469_400_000))
    }

    private func heard(_ record: MessageRecord, on topic: Topic? = nil) -> DeviceMessage {
        var writer = JSONWriter()
        record.writeEvent(to: &writer)
        return DeviceMessage(
            topicName: (topic ?? .conversation(record.conversation, .messages)).name, payload: writer.finish(),
            isRetained: false)
    }

    @Test("it is what the reply would have been")
    func sent() throws {
        let (echo, sent) = try #require(Echo.read(heard(record()), of: alice))
        #expect(echo == Echo(of: message))
        let reply = GatewayReply(sent)
        #expect(reply.isAccepted && GatewayReply(payload: reply.payload) == reply)
        #expect(
            try reply.read(as: SentMessage.self)
                == SentMessage(id: message.id, epoch: "e", seq: 5, createdAt: record().createdAt))
    }

    @Test("a message whose reply is a reply has none")
    func withoutEcho() {
        let asked = SendMessage(
            id: message.id, conversation: message.conversation, type: .text, suite: .naclBox,
            content: message.sealed.content,
            nonce: message.sealed.nonce)
        #expect(Echo(of: asked) == nil)
        #expect(Echo(of: message) != nil)
    }

    @Test("what another device sent is no echo, whatever its id")
    func others() {
        for sender in [device("alice/tablet"), device("bob/phone")] {
            #expect(Echo.read(heard(record(sender: sender)), of: alice) == nil)
        }
    }

    @Test("nor is a change to a message, an event elsewhere, or one that is no event")
    func otherEvents() {
        for kind in RecordKind.allCases where kind != .message {
            #expect(Echo.read(heard(record(kind: kind)), of: alice) == nil)
        }
        for topic: Topic in [.conversation(.random(), .messages), .conversation(message.conversation, .receipts)] {
            #expect(Echo.read(heard(record(), on: topic), of: alice) == nil)
        }
        let topic = Topic.conversation(message.conversation, .messages).name
        for json in ["", "{}", #"{"type":"message.new","data":{}}"#, "\u{0}"] {
            let message = DeviceMessage(topicName: topic, payload: Array(json.utf8), isRetained: false)
            #expect(Echo.read(message, of: alice) == nil)
        }
    }

    @Test("a request waits for its own echo alone, and not for that of other content under its id")
    func awaiting() throws {
        var book = RequestBook(firstRepeat: .seconds(2))
        func request(_ echo: Echo?) -> PendingRequest {
            PendingRequest(
                key: .random(), operation: SendMessage.operation, payload: [], wantsReply: true,
                echo: echo, deadline: .now.advanced(by: .seconds(60)))
        }
        let plain = request(nil)
        _ = book.add(plain, now: .now)
        #expect(!book.awaitsEcho)
        let waiting = request(Echo(of: message))
        _ = book.add(waiting, now: .now)
        #expect(book.awaitsEcho)
        let other = try #require(Echo.read(heard(record(content: [1, 2, 3])), of: alice)).echo
        #expect(book.awaiting(other).isEmpty)
        let echo = try #require(Echo.read(heard(record()), of: alice)).echo
        #expect(book.awaiting(echo) == [waiting.key])
        let wasRemoved = book.remove(waiting.key)
        #expect(wasRemoved && !book.awaitsEcho && book.awaiting(echo).isEmpty)
    }
}
