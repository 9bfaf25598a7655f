import MQTTPackets
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("An MQTT 5 connection without a network")
struct PacketSessionTests {
    private let start = ContinuousClock.now
    private static let accepted: [UInt8] = [0x20, 3, 0, 0, 0]

    private func session(_ answer: [UInt8]? = accepted) throws -> PacketSession {
        let device = DeviceAddress(user: UserID("alice"), device: DeviceID("phone"))
        var session = try PacketSession(
            SignIn(
                gateway: .tcp(host: "localhost", port: 1), clientID: "alice:phone",
                credentials: DeviceCredentials(of: device, password: "secret", expiresAt: Timestamp(milliseconds: 0)),
                timeout: .seconds(1)), now: start)
        guard let answer else { return session }
        session.sent(session.output.count, now: start)
        #expect(try session.receive(answer, now: start).isEmpty)
        return session
    }

    private func message(_ topic: String = "t", _ payload: [UInt8] = []) -> OutgoingMessage {
        OutgoingMessage(topic: topic, payload: payload, reply: nil)
    }

    @Test("it begins with a CONNECT of a clean start with the credentials, and is open once the broker says so")
    func begins() throws {
        var session = try session(nil)
        let packet = session.output
        let connect = try ConnectRequest(in: packet.span, body: 2..<packet.count)
        #expect(Array(packet[connect.clientID]) == Array("alice:phone".utf8))
        #expect(try #require(connect.password).map { packet[$0] } == Array("secret".utf8))
        #expect(!session.isOpen && !session.canPublish)
        #expect(throws: TransportError.self) { try session.publish(message()) }
        for byte in PacketSessionTests.accepted { #expect(try session.receive([byte], now: start).isEmpty) }
        #expect(session.isOpen && session.canPublish)
    }

    @Test("a refusal of the credentials, of the moment, and any other are three things")
    func refused() throws {
        func cause(_ answer: [UInt8]) throws -> ConnectionError? {
            var session = try session(nil)
            do throws(ConnectionError) {
                _ = try session.receive(answer, now: start)
                return nil
            } catch {
                return error
            }
        }
        for (reason, isFinal) in [(0x87, true), (0x86, true), (0x88, false), (0x89, false), (0x85, true)]
            as [(UInt8, Bool)]
        {
            #expect(try #require(try cause([0x20, 3, 0, reason, 0])).isFinal == isFinal)
        }
        // A delivery before the CONNACK, and what is no MQTT.
        #expect(try #require(try cause([0x30, 4, 0, 1, 0x74, 0])).isFinal)
        #expect(try #require(try cause(Array(repeating: UInt8(ascii: "H"), count: 100))).isFinal)
    }

    @Test("what comes at QoS 1 is acknowledged and given, and what comes at QoS 0 given")
    func deliveries() throws {
        var session = try session()
        let once: [UInt8] = [0x31, 7, 0, 1, 0x74, 0] + Array("abc".utf8)
        let correlated: [UInt8] = [0x32, 12, 0, 1, 0x75, 0, 9, 4, 0x09, 0, 1, 0x63] + Array("de".utf8)
        let events = try session.receive(once + correlated, now: start)
        #expect(
            events == [
                .message(IncomingMessage(topic: "t", payload: Array("abc".utf8), isRetained: true)),
                .message(IncomingMessage(topic: "u", payload: Array("de".utf8), correlationData: [0x63])),
            ])
        #expect(session.output == [0x40, 2, 0, 9])
    }

    @Test("publishes are numbered, answered, and no more are under way than the broker takes")
    func publishes() throws {
        var session = try session([0x20, 6, 0, 0, 3, 0x21, 0, 2])
        let (first, second) = (try session.publish(message()), try session.publish(message()))
        #expect(first != second && !session.canPublish)
        #expect(throws: TransportError.self) { try session.publish(message()) }
        let answers: [UInt8] = [0x40, 3, 0, UInt8(second.rawValue), 0x97, 0x40, 2, 0, UInt8(first.rawValue)]
        #expect(
            try session.receive(answers, now: start) == [.published(second, .noRoom), .published(first, .accepted)])
        #expect(session.canPublish)
        // An answer to nothing.
        #expect(try session.receive([0x40, 2, 0, 77], now: start).isEmpty)
    }

    @Test("a packet that is longer than the broker takes is not sent, and leaves nothing behind")
    func tooLong() throws {
        var session = try session([0x20, 8, 0, 0, 5, 0x27, 0, 0, 0, 20])
        let error = #expect(throws: TransportError.self) {
            try session.publish(message("t", [UInt8](repeating: 1, count: 20)))
        }
        if case .tooLarge? = error {} else { Issue.record("\(String(describing: error))") }
        #expect(session.output.isEmpty)
        _ = try session.publish(message("t", [1]))
        #expect(!session.output.isEmpty)
    }

    @Test("a subscription is granted or not")
    func subscriptions() throws {
        var session = try session()
        let (granted, refused) = (try session.subscribe(to: "a"), try session.subscribe(to: "b"))
        let answers: [UInt8] = [
            0x90, 4, 0, UInt8(granted.rawValue), 0, 1, 0x90, 4, 0, UInt8(refused.rawValue), 0, 0x87,
        ]
        #expect(
            try session.receive(answers, now: start) == [
                .subscribed(granted, isGranted: true), .subscribed(refused, isGranted: false),
            ])
        try session.unsubscribe(from: "a")
        #expect(try session.receive([0xB0, 4, 0, 3, 0, 0], now: start).isEmpty)
    }

    @Test("silence is broken by a ping, and a ping without an answer ends the connection")
    func keepAlive() throws {
        var session = try session()
        let due = session.deadline
        #expect(due == start.advanced(by: .seconds(30)))
        try session.tick(due.advanced(by: .milliseconds(-1)))
        #expect(session.output.isEmpty)
        try session.tick(due)
        #expect(session.output == [0xC0, 0])
        session.sent(2, now: due)
        // One that only sends would never hear that nobody listens.
        #expect(try session.receive([0xD0, 0], now: due).isEmpty)
        let next = session.deadline
        _ = try session.publish(message())
        session.sent(session.output.count, now: next)
        try session.tick(next)
        #expect(session.output == [0xC0, 0])
        #expect(throws: ConnectionError.self) { try session.tick(session.deadline) }
    }

    @Test("while a slow network takes what is to be sent, or the broker says something, a ping is waited for")
    func slow() throws {
        var session = try session()
        let number = try session.publish(message("t", [UInt8](repeating: 0, count: 100)))
        var now = session.deadline
        try session.tick(now)
        // Two bytes at a time, each after more than a silent broker is given.
        while !session.output.isEmpty {
            now = now.advanced(by: .seconds(14))
            try session.tick(now)
            session.sent(2, now: now)
        }
        // What is sent behind the ping says nothing of the broker.
        now = now.advanced(by: .seconds(14))
        _ = try session.publish(message())
        session.sent(session.output.count, now: now)
        #expect(try session.receive([0x40, 2, 0, UInt8(number.rawValue)], now: now).count == 1)
        #expect(session.deadline == now.advanced(by: .seconds(15)))
        try session.tick(now.advanced(by: .seconds(14)))
        _ = try session.publish(message())
        session.sent(session.output.count, now: now.advanced(by: .seconds(14)))
        #expect(throws: ConnectionError.self) { try session.tick(now.advanced(by: .seconds(15))) }
    }

    @Test("an answer in TLS to a sign-in without it is named")
    func answeredInTLS() throws {
        var session = try session(nil)
        let error = #expect(throws: ConnectionError.self) {
            try session.receive([21, 3, 3, 0, 2, 2, 70], now: start)
        }
        guard case .tlsRequired? = error else { throw NeverCameError("the name of TLS") }
    }

    @Test("what came before the end is given, and then the end")
    func last() throws {
        let delivery: [UInt8] = [0x31, 7, 0, 1, 0x74, 0] + Array("abc".utf8)
        // The broker's word, and what is no MQTT: another connection may do better.
        for (end, isFinal) in [([0xE0, 1, 0x8E], true), ([0xF1, 0], false)] as [([UInt8], Bool)] {
            var session = try session()
            #expect(try session.receive(delivery + end, now: start).count == 1)
            let error = #expect(throws: ConnectionError.self) { try session.tick(start) }
            #expect(error?.isFinal == isFinal)
        }
    }

    @Test("a broker that takes over, or says goodbye, ends it")
    func ended() throws {
        for (reason, isFinal) in [(0x8E, true), (0x8B, false)] as [(UInt8, Bool)] {
            var session = try session()
            let error = #expect(throws: ConnectionError.self) { try session.receive([0xE0, 1, reason], now: start) }
            #expect(error?.isFinal == isFinal)
        }
    }
}
