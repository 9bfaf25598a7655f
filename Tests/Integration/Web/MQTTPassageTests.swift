import MQTTWire
import ParleyProtocol
import ParleyWeb
import TestSupport
import Testing

/// MQTT over WebSocket by the door's handlers, with a real broker and the real plugin behind them.
extension PluginTests {
    private func passage(
        _ change: (inout MQTTPassage.Configuration) -> Void = { _ in }
    ) throws -> (broker: PluginBroker, out: WireClient, passage: WebPassage) {
        let (broker, out) = try readyBroker()
        var configuration = MQTTPassage.Configuration()
        // Tests of the times themselves have their own; a busy machine may take long between upgrade and CONNECT.
        configuration.times.connect = patience
        configuration.times.answer = patience
        change(&configuration)
        return (broker, out, try WebPassage(toBrokerPort: broker.port, configuration))
    }

    private func signIn(
        _ device: TestDevice, _ broker: PluginBroker, _ passage: WebPassage, version: WireClient.Version = .v5
    ) throws -> WireClient {
        let client = try passage.client()
        let code = try client.connect(
            device.clientID, username: device.user, password: broker.token(device.claims), version: version)
        #expect(code == 0)
        return client
    }

    @Test(
        "a device signs in through the door, hears and publishes, in both versions",
        arguments: [.v5, .v311] as [WireClient.Version])
    func passageServes(_ version: WireClient.Version) throws {
        let (broker, out, passage) = try passage()
        let client = try signIn(alice, broker, passage, version: version)
        #expect(try client.subscribe(topic) == 1)
        let large = [UInt8](repeating: 0x61, count: 300_000)
        for payload in [[], [0x62], large] {
            _ = try out.publish(topic, payload)
            let message = try client.nextMessage()
            #expect(message.topic == topic && message.payload == payload)
        }
        let intake = try broker.gateway(.intake)
        #expect(try intake.subscribe("parley/v1/up/#") == 1)
        _ = try client.publish("\(alice.up)/messages/send", large)
        while true {
            let message = try intake.nextMessage()
            guard message.topic == "\(alice.up)/messages/send" else { continue }
            #expect(message.payload == large)
            return
        }
    }

    @Test("what the broker refuses is refused through the door")
    func passageRefusal() throws {
        let (broker, _, passage) = try passage()
        let stranger = try passage.client()
        #expect(try stranger.connect(alice.clientID, username: alice.user, password: Array("wrong".utf8)) == 0x87)
        #expect(try stranger.closeCode() == 1000)
        let client = try signIn(alice, broker, passage)
        #expect(try client.subscribe("parley/v1/users/bob/events") == 0x87)
        #expect(try client.publish("\(bob.up)/profile/get", "x").map { $0 >= 0x80 } == true)
    }

    @Test("an operator's token signs in beside the door, and not through it")
    func passageOperator() throws {
        let (broker, _, passage) = try passage()
        let client = try passage.client()
        let code = try client.connect(console.clientID, username: console.user, password: broker.token(console.claims))
        #expect(code == 0x87)
        #expect(try client.closeCode() == 1008)
        #expect(try console.connect(to: broker).code == 0)
    }

    @Test("a ping is answered, and a close frame is sent back")
    func passageControl() throws {
        let (broker, _, passage) = try passage()
        let client = try signIn(alice, broker, passage)
        try client.sendRaw(WebSocketFrames.header(0x89, length: 3) + [1, 2, 3])
        while client.frames?.pongs.isEmpty == true { try client.fill() }
        #expect(client.frames?.pongs == [[1, 2, 3]])
        try client.sendRaw(WebSocketFrames.header(0x88, length: 2) + [0x0B, 0xB8])
        #expect(try client.closeCode() == 3000)
        try broker.awaitLog("Client alice:phone closed its connection")
    }

    /// What is sent after the sign-in, or before it, and the code that closes the WebSocket.
    enum Abuse: CaseIterable {
        case unmasked, text, gigabyte, longFrame, endlessFragments, longPacket, endlessPacketLength, garbage,
            connectAgain
    }

    @Test(
        "whoever breaks the rules is closed with the code for it, and the broker goes on", arguments: Abuse.allCases,
        [false, true])
    func passageAbuse(_ abuse: Abuse, _ isSignedIn: Bool) throws {
        let (broker, _, passage) = try passage()
        let client = isSignedIn ? try signIn(alice, broker, passage) : try passage.client()
        let beginning: UInt8 = isSignedIn ? 0x30 : 0x10
        var codes: Set<UInt16> = [1002]
        switch abuse {
        case .unmasked: try client.sendRaw([0x82, 2, 0xC0, 0])
        case .text:
            codes = [1003]
            try client.sendRaw(WebSocketFrames.header(0x81, length: 2) + [0xC0, 0])
        case .gigabyte:
            codes = [1009]
            try client.sendRaw(WebSocketFrames.header(0x82, length: 1 << 30))
        case .longFrame:
            codes = [1009]
            try client.sendRaw(WebSocketFrames.frame([UInt8](repeating: 0xC0, count: 400_000)))
        case .endlessFragments:
            // Before the sign-in it may be seen first that it is no CONNECT.
            codes = isSignedIn ? [1009] : [1002, 1009]
            try client.sendRaw(WebSocketFrames.header(0x02, length: 2) + [0xC0, 0])
            let fragment = WebSocketFrames.header(0x00, length: 1000) + pings
            // The connection may end in the middle of it.
            try? client.sendRaw(Array(repeatElement(fragment, count: 400).joined()))
        case .longPacket:
            codes = [1009]
            try client.sendRaw(WebSocketFrames.frame([beginning, 0x81, 0x80, 0x18]))
        case .endlessPacketLength: try client.sendRaw(WebSocketFrames.frame([beginning, 0xFF, 0xFF, 0xFF, 0xFF]))
        case .garbage: try client.sendRaw([0xFF, 0x13, 0x37, 0x00])
        case .connectAgain: try client.sendRaw(WebSocketFrames.frame(isSignedIn ? [0x10, 0] : [0xC0, 0]))
        }
        let code = try #require(try client.closeCode())
        #expect(codes.contains(code))
        #expect(try signIn(bob, broker, passage).drain().isEmpty)
    }

    /// 1,000 bytes of PINGREQ.
    private var pings: [UInt8] { (0..<500).flatMap { _ in [0xC0, 0] as [UInt8] } }

    @Test("200 who never finish a CONNECT are put out in time, while others are served")
    func passageUnfinished() throws {
        let (broker, _, passage) = try passage { $0.times.connect = .seconds(1) }
        let connect =
            Array(repeating: [0x10] as [UInt8], count: 100) + Array(repeating: [0x10, 0x80, 0x01, 0, 4], count: 100)
        let before = connections(of: broker)
        let strangers = try connect.map { bytes in
            let client = try passage.client()
            try client.sendRaw(WebSocketFrames.frame(bytes))
            return client
        }
        let client = try signIn(alice, broker, passage)
        for stranger in strangers { #expect(try stranger.closeCode() == 1008) }
        #expect(try client.drain().isEmpty)
        // The broker has met none of them.
        #expect(connections(of: broker) == before + 1)
    }

    private func connections(of broker: PluginBroker) -> Int {
        broker.log.split(separator: "New connection").count
    }

    @Test("a broker that is gone ends the WebSocket, and one that is not there is said to be so")
    func passageWithoutBroker() throws {
        let (broker, _, passage) = try passage()
        let client = try signIn(alice, broker, passage)
        broker.stop()
        #expect(try client.closeCode() == 1000)
        let next = try passage.client()
        #expect(try next.connect(alice.clientID, username: alice.user, password: [1]) == nil)
        #expect(next.frames?.closeCode == 1013)
    }

    @Test("a client whose connection breaks is gone from the broker too")
    func passageBroken() throws {
        let (broker, _, passage) = try passage()
        let client = try signIn(alice, broker, passage)
        client.close()
        try broker.awaitLog("Client alice:phone closed its connection")
    }

    @Test("who takes nothing is cut off, and the broker's messages to them go no further")
    func passageSlowReader() throws {
        let (broker, out, passage) = try passage { $0.times.stall = .milliseconds(600) }
        let client = try signIn(alice, broker, passage)
        #expect(try client.subscribe(topic) == 1)
        let large = [UInt8](repeating: 0x61, count: 300_000)
        // More than the sockets between them hold.
        for _ in 0..<100 { _ = try out.publish(topic, large, qos: 0) }
        try eventually("the end of the connection") { () -> Void? in
            broker.log.contains("alice:phone closed its connection") || broker.log.contains("alice:phone disconnected")
                ? () : nil
        }
    }
}

extension WireClient {
    /// The code with which the server closes the WebSocket.
    fileprivate func closeCode() throws -> UInt16? {
        do {
            while frames?.closeCode == nil { try fill() }
        } catch WireError.closed {}
        return frames?.closeCode
    }
}
