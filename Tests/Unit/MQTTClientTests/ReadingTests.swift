import MQTTClient
import Platform
import TestSupport
import Testing

@Suite("Reading", .ownThreads)
struct ReadingTests {
    @Test("a batch ends at its limit and the next goes on from there")
    func limit() throws {
        let broker = try TestBroker()
        let receiver = try broker.connect("receiver")
        try receiver.subscribed(to: "a")
        try broker.connect("sender").publishNumbers(50)

        var batch = InboundBatch()
        var payloads: [String] = []
        var ends: Set<BatchEnd> = []
        while payloads.count < 50 {
            var watched = [WatchedDescriptor(receiver.fileDescriptor)]
            #expect(try waitForEvents(&watched, timeout: .seconds(10)) == 1)
            ends.insert(try receiver.readBatch(into: &batch, limit: 20))
            #expect(batch.count <= 20)
            payloads += batch.messages.map { batch.text($0.payload) }
        }
        #expect(payloads == (0..<50).map(String.init))
        #expect(ends.contains(.unfinished))
        #expect(try receiver.readBatch(into: &batch, limit: 20) == .drained)
        #expect(batch.isEmpty)
    }

    @Test(
        "a payload over the longest that is wanted is not copied but for its beginning, and its length is known",
        arguments: [0, 2, 50])
    func longestPayload(beginning: Int) throws {
        let broker = try TestBroker()
        let receiver = try broker.connect("receiver") {
            $0.longestPayload = 3
            $0.beginningOfLonger = beginning
        }
        try receiver.subscribed(to: "a")
        let sender = try broker.connect("sender")
        for count in [3, 4, 100_000, 0] {
            try sender.publish(topic: "a", payload: [UInt8](repeating: 1, count: count))
        }
        _ = try sender.acknowledgements(4)
        var batch = InboundBatch()
        var lengths: [[Int]] = []
        while lengths.count < 4 {
            var watched = [WatchedDescriptor(receiver.fileDescriptor)]
            #expect(try waitForEvents(&watched, timeout: .seconds(10)) == 1)
            try receiver.readBatch(into: &batch, limit: 20)
            #expect(batch.bytes.count < 200)
            lengths += batch.messages.map { [$0.payloadLength, $0.payload.count] }
        }
        #expect(lengths == [[3, 3], [4, min(4, beginning)], [100_000, beginning], [0, 0]])
    }

    @Test("no limit is declared on packets, so that none costs a place in the receive maximum")
    func largePackets() throws {
        let broker = try TestBroker()
        let receiver = try broker.connect("receiver") { $0.receiveMaximum = 2 }
        try receiver.subscribed(to: "a")
        let sender = try broker.connect("sender")
        for _ in 0..<5 { try sender.publish(topic: "a", payload: [UInt8](repeating: 0x20, count: 1_100_000)) }
        try sender.publish(topic: "a", payload: Array("after".utf8))
        _ = try sender.acknowledgements(6)
        #expect(try receiver.payloads(6).last == "after")
    }

    @Test("reading acknowledges at once where nothing is held")
    func immediate() throws {
        let broker = try TestBroker()
        var receiver: MQTTConnection? = try broker.connect("receiver") {
            $0.cleanStart = false
            $0.sessionExpiry = .seconds(60)
            $0.receiveMaximum = 3
        }
        try receiver?.subscribed(to: "a")
        try broker.connect("sender").publishNumbers(10)
        // Three may be unacknowledged: all ten come without a flush only if each is acknowledged as it is read.
        #expect(try receiver?.payloads(10, flushing: false) == (0..<10).map(String.init))
        receiver = nil
    }

    @Test("held messages stop at the receive maximum until they are flushed")
    func receiveMaximum() throws {
        let broker = try TestBroker()
        let receiver = try broker.connect("receiver") {
            $0.acknowledgement = .held
            $0.receiveMaximum = 3
        }
        try receiver.subscribed(to: "a")
        try broker.connect("sender").publishNumbers(7)
        #expect(try receiver.payloads(3, flushing: false) == ["0", "1", "2"])
        #expect(receiver.wantsWrite)
        // The broker has nothing more to say: an answer of it would come behind what it may send.
        var batch = InboundBatch()
        #expect(try receiver.readBatch(into: &batch, limit: 10) == .drained)
        #expect(batch.isEmpty)
        #expect(try receiver.payloads(4) == ["3", "4", "5", "6"])
    }

    @Test("large messages arrive whole")
    func large() throws {
        let broker = try TestBroker()
        let receiver = try broker.connect("receiver")
        try receiver.subscribed(to: "a")
        let sender = try broker.connect("sender")
        let payload = (0..<500_000).map { UInt8(truncatingIfNeeded: $0) }
        try sender.publish(topic: "a", payload: payload)
        while try !sender.flush() {
            var watched = [WatchedDescriptor(sender.fileDescriptor, read: false, write: true)]
            try waitForEvents(&watched, timeout: .seconds(10))
        }
        var batch = InboundBatch()
        while batch.isEmpty { try receiver.next(into: &batch) }
        let message = try #require(batch.messages.first)
        #expect(batch.bytes[message.payload].elementsEqual(payload))
    }

    @Test("what came before the end of the connection is given out first")
    func lastWords() throws {
        let peer = try ScriptedPeer()
        // A QoS 0 PUBLISH and half of another.
        let publish: [UInt8] = [0x30, 5, 0, 1, 0x61, 0, 0x42]
        let connection = try peer.connect(answering: publish + publish.prefix(3))
        #expect(try connection.payloads(1, flushing: false) == ["B"])
        var batch = InboundBatch()
        #expect(throws: MQTTError.connectionLost(errno: 0)) {
            while true { try connection.next(into: &batch, flushing: false) }
        }
        #expect(batch.isEmpty)
    }
}
