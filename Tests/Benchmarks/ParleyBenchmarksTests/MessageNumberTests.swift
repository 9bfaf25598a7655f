import GatewaySite
import MQTTPackets
import ParleyProtocol
import Testing

@testable import parley_bench

@Suite("A message's number travels in its id")
struct MessageNumberTests {
    @Test(
        "and comes back out of it",
        arguments: [
            MessageNumber(sender: 0, run: 0, count: 0), MessageNumber(sender: 63, run: 12, count: 1_234_567),
            MessageNumber(sender: 4095, run: 16_383, count: (1 << 48) - 1),
        ])
    func roundTrip(_ number: MessageNumber) {
        let id = MessageID(number.id(milliseconds: 1_767_225_600_123))
        #expect(MessageNumber(parsing: Array("--\(id)".utf8), at: 2) == number)
    }

    @Test("written over another id it gives the same bytes as made anew")
    func writing() {
        let (milliseconds, number) = (Int64(1_767_225_600_123), MessageNumber(sender: 5, run: 9, count: 77))
        var bytes = Array("\(MessageID(MessageNumber(sender: 1, run: 1, count: 1).id(milliseconds: 0)))".utf8)
        number.write(over: &bytes, at: 0)
        MessageNumber.write(milliseconds: milliseconds, over: &bytes, at: 0)
        #expect(String(decoding: bytes, as: UTF8.self) == "\(MessageID(number.id(milliseconds: milliseconds)))")
    }
}

@Suite("A finished request")
struct RequestTemplateTests {
    @Test(
        "is what the gateway takes for a message, with the number of the moment", arguments: [ReplyForm.event, .reply])
    func request(_ form: ReplyForm) throws {
        let address = try DeviceAddress(named: "alice", "phone")
        let conversation = ConversationID.random()
        var template = try RequestTemplate(sender: address, conversation: conversation, form: form)
        let number = MessageNumber(sender: 3, run: 2, count: 41)
        template.prepare(number, milliseconds: 1_767_225_600_123)

        let read = try PacketReader.next(in: template.bytes.span, from: 0, to: template.bytes.count)
        let (packet, end) = try #require(read)
        #expect(end == template.bytes.count)
        guard case .delivery(let delivery) = packet else {
            Issue.record("it is no PUBLISH")
            return
        }
        #expect(delivery.identifier == 1)
        let topic = String(decoding: template.bytes[delivery.topic], as: UTF8.self)
        #expect(topic == "parley/v1/up/alice/phone/messages/send")
        let operation = try #require(Operation(area: "messages", verb: "send"))
        #expect(operation == SendMessage.operation)
        let message = try SendMessage(members: JSONObject(parsing: delivery.payload, of: template.bytes))
        #expect(message.id.value == number.id(milliseconds: 1_767_225_600_123))
        #expect(message.conversation == conversation)
        #expect(message.sealed.content.count == RequestTemplate.ciphertextBytes)
        #expect(message.echoIsReply == (form == .event))

        let idAt = DeliveryForm.idOffset(in: template.bytes, payload: delivery.payload, isReply: false)
        let start = try #require(idAt)
        #expect(MessageNumber(parsing: template.bytes, at: start) == number)
    }
}
