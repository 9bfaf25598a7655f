import Foundation
import MQTTClient
import TestSupport
import Testing

@Suite("Publishing", .ownThreads)
struct PublishingTests {
    @Test("topic, payload, properties and flags arrive as they were sent")
    func roundTrip() throws {
        let broker = try TestBroker()
        let receiver = try broker.connect("receiver")
        try receiver.subscribed(to: "down/#")
        let sender = try broker.connect("sender")
        let bytes = Array("down/ÄÖÜ/xpayload\0reply/here\u{1}\0\u{2}".utf8)
        let topic = 0..<13
        let payload = 13..<21
        let response = 21..<31
        let correlation = 31..<34
        try sender.publish(
            OutboundMessage(
                topic: topic, payload: payload, responseTopic: response, correlationData: correlation,
                expirySeconds: 60),
            in: bytes)
        try sender.publish(OutboundMessage(topic: topic, payload: 0..<0, qos: .atMostOnce), in: bytes)
        try sender.flush()

        var batch = InboundBatch()
        var seen: [(topic: String, payload: String, response: String?, correlation: String?, qos: QoS)] = []
        while seen.count < 2 {
            try receiver.next(into: &batch)
            for message in batch.messages {
                #expect(!message.isRetained)
                seen.append(
                    (
                        batch.text(message.topic), batch.text(message.payload), batch.text(message.responseTopic),
                        batch.text(message.correlationData), message.qos
                    ))
            }
        }
        #expect(seen[0] == ("down/ÄÖÜ/x", "payload\0", "reply/here", "\u{1}\0\u{2}", .atLeastOnce))
        #expect(seen[1] == ("down/ÄÖÜ/x", "", nil, nil, .atMostOnce))
    }

    @Test("the broker's word on each publish is handed on, in order")
    func acknowledged() throws {
        let broker = try TestBroker { directory in
            let rules = directory.appending(path: "acl")
            try "topic readwrite allowed/#".write(to: rules, atomically: true, encoding: .utf8)
            return "acl_file \(rules.path)"
        }
        let connection = try broker.connect("x")
        try connection.subscribed(to: "allowed/heard")
        let packets = try ["allowed/heard", "allowed/unheard", "forbidden"].map {
            try connection.publish(topic: $0, payload: [1])
        }
        // QoS 0 has no acknowledgement, though the library reports that it was written.
        try connection.publish(topic: "allowed/heard", payload: [2], qos: .atMostOnce)
        #expect(connection.unacknowledgedCount == 3)
        let acknowledgements = try connection.acknowledgements(3)
        #expect(acknowledgements.map(\.packet) == packets)
        #expect(acknowledgements.map(\.reason) == [.success, .noMatchingSubscribers, .notAuthorized])
        #expect(acknowledgements.map(\.reason.isFailure) == [false, false, true])
        #expect(connection.unacknowledgedCount == 0)
    }

    @Test("no more is unacknowledged than both sides allow", arguments: [(5, 5), (1000, 8)])
    func quota(ours: UInt16, expected: Int) throws {
        let broker = try TestBroker { _ in "max_inflight_messages 8" }
        let connection = try broker.connect("x") { $0.sendMaximum = ours }
        #expect(connection.sendQuota == expected)
        for _ in 0..<expected {
            #expect(connection.canPublish)
            try connection.publish(topic: "a", payload: [])
        }
        #expect(!connection.canPublish)
        #expect(throws: MQTTError.sendQuotaExhausted) { try connection.publish(topic: "a", payload: []) }
        try connection.publish(topic: "a", payload: [], qos: .atMostOnce)
        _ = try connection.acknowledgements(expected)
        #expect(connection.canPublish)
        try connection.publish(topic: "a", payload: [])
    }

    @Test("what waits to be written is bounded where no quota applies")
    func sendBuffer() throws {
        let peer = try ScriptedPeer()
        let connection = try peer.connect { $0.maximumUnsentBytes = 10_000 }
        let payload = [UInt8](repeating: 0, count: 4000)
        for _ in 0..<3 { try connection.publish(topic: "a", payload: payload, qos: .atMostOnce) }
        #expect(throws: MQTTError.sendBufferFull) {
            try connection.publish(topic: "a", payload: payload, qos: .atMostOnce)
        }
    }

    @Test("a sender that never catches up with its socket is not held to have everything unsent")
    func backlog() throws {
        let peer = try ScriptedPeer()
        let connection = try peer.connect(keepingOpen: true) { $0.maximumUnsentBytes = 1_000_000 }
        let payload = [UInt8](repeating: 0, count: 10_000)
        // More than any socket buffer holds by default, so that something is always left to write.
        for _ in 0..<80 { try connection.publish(topic: "a", payload: payload, qos: .atMostOnce) }
        for _ in 0..<400 {
            #expect(try connection.flush() == false)
            peer.take(10_000)
            try connection.publish(topic: "a", payload: payload, qos: .atMostOnce)
        }
    }

    @Test("every packet up to the broker's limit is taken, and none above reaches it", arguments: [false, true])
    func packetSize(withProperties: Bool) throws {
        let broker = try TestBroker { _ in "max_packet_size 300" }
        let connection = try broker.connect("x") { $0.sendMaximum = 1000 }
        var bytes = Array("topic".utf8) + [UInt8](repeating: 7, count: 400)
        bytes[5] = UInt8(ascii: "r")
        var accepted = 0
        var refused = 0
        for count in 250...300 {
            // 140 bytes of correlation data make the length of the properties take two bytes.
            let message = OutboundMessage(
                topic: 0..<5, payload: withProperties ? 5..<(count - 140) : 5..<(count + 5),
                responseTopic: withProperties ? 5..<6 : nil, correlationData: withProperties ? 6..<146 : nil)
            do throws(MQTTError) {
                try connection.publish(message, in: bytes)
                accepted += 1
            } catch .packetTooLarge(let size, let maximum) {
                #expect(maximum == 300)
                #expect(size > 300)
                refused += 1
            }
        }
        #expect(accepted > 0 && refused > 0)
        #expect(try connection.acknowledgements(accepted).count == accepted)
    }

    @Test(
        "a topic that is none is refused and the connection lives on",
        arguments: ["", "a\0b", "a/+", "#", String(repeating: "x", count: 65_536)])
    func badTopic(topic: String) throws {
        let broker = try TestBroker()
        let connection = try broker.connect("x")
        #expect(throws: MQTTError.invalidTopic) { try connection.publish(topic: topic, payload: []) }
        #expect(connection.unacknowledgedCount == 0)
        #expect(try connection.published(topic: "good", payload: "") == .noMatchingSubscribers)
    }

    @Test("bytes that are not UTF-8 are no topic and no response topic")
    func notText() throws {
        let broker = try TestBroker()
        let connection = try broker.connect("x")
        let bytes: [UInt8] = [0x61, 0xFF, 0xC0]
        #expect(throws: MQTTError.invalidTopic) {
            try connection.publish(OutboundMessage(topic: 0..<2, payload: 0..<0), in: bytes)
        }
        #expect(throws: MQTTError.invalidTopic) {
            try connection.publish(OutboundMessage(topic: 0..<1, payload: 0..<0, responseTopic: 1..<3), in: bytes)
        }
        #expect(try connection.published(topic: "good", payload: "") == .noMatchingSubscribers)
    }

    @Test("a range outside its bytes is an error, not a trap")
    func badRange() throws {
        let broker = try TestBroker()
        let connection = try broker.connect("x")
        let bytes = [UInt8](repeating: 0x61, count: 70_000)
        let outside = bytes.count..<(bytes.count + 1)
        for message in [
            OutboundMessage(topic: outside, payload: 0..<1),
            OutboundMessage(topic: 0..<1, payload: outside),
            OutboundMessage(topic: -1..<1, payload: 0..<1),
            OutboundMessage(topic: 0..<1, payload: 0..<1, responseTopic: outside),
            OutboundMessage(topic: 0..<1, payload: 0..<1, correlationData: outside),
            OutboundMessage(topic: 0..<1, payload: 0..<1, correlationData: 0..<65_536),
        ] {
            #expect(throws: MQTTError.invalidRange) { try connection.publish(message, in: bytes) }
        }
    }

    @Test("MQTT 3.1.1 has no properties to send")
    func noProperties() throws {
        let broker = try TestBroker()
        let connection = try broker.connect("x") { $0.version = .v311 }
        #expect(throws: MQTTError.propertiesNotSupported) {
            try connection.publish(OutboundMessage(topic: 0..<1, payload: 0..<0, expirySeconds: 1), in: [0x61])
        }
        #expect(try connection.published(topic: "good", payload: "") == .success)
    }
}
