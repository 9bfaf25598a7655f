import Glibc
import MQTTClient
import Platform
import TestSupport
import Testing

@Suite("Losing the broker", .ownThreads)
struct LosingTests {
    /// Reads until the connection is lost.
    private func loss(of connection: MQTTConnection) throws -> MQTTError {
        var batch = InboundBatch()
        do {
            while true { try connection.next(into: &batch, flushing: false) }
        } catch let error as MQTTError {
            return error
        }
    }

    @Test("a session that another client takes over is lost, for the same reason whatever is asked of it")
    func takenOver() throws {
        let broker = try TestBroker()
        let first = try broker.connect("same")
        let second = try broker.connect("same")
        // Mosquitto 2.0.11 closes without a DISCONNECT here.
        let reason = MQTTError.connectionLost(errno: 0)
        #expect(try loss(of: first) == reason)
        #expect(first.fileDescriptor == -1)
        #expect(!first.canPublish)
        #expect(throws: reason) { try first.publish(topic: "a", payload: []) }
        #expect(throws: reason) { try first.flush() }
        #expect(throws: reason) { try first.housekeeping() }
        #expect(try second.published(topic: "a", payload: "") == .noMatchingSubscribers)
    }

    @Test("a broker that is killed is a lost connection; another handle connects to the next")
    func killed() throws {
        let broker = try TestBroker()
        let first = try broker.connect("x")
        broker.stop(with: SIGKILL)
        #expect(try loss(of: first) == .connectionLost(errno: 0))
        #expect(throws: MQTTError.self) { try broker.connect("x") }
        try broker.start()
        #expect(try broker.connect("x").published(topic: "a", payload: "") == .noMatchingSubscribers)
    }

    @Test("the reason of a DISCONNECT is the reason of the loss")
    func disconnectReason() throws {
        let peer = try ScriptedPeer()
        let connection = try peer.connect(answering: [0xE0, 2, 0x98, 0])
        let reason = MQTTError.disconnected(.administrativeAction)
        #expect(try loss(of: connection) == reason)
        #expect(throws: reason) { try connection.flush() }
    }

    @Test("writing to a peer that is gone is an error and not a signal")
    func brokenPipe() throws {
        let broker = try TestBroker()
        let connection = try broker.connect("x")
        broker.stop(with: SIGKILL)
        try connection.publish(topic: "a", payload: [])
        #expect(throws: MQTTError.connectionLost(errno: EPIPE)) { try connection.flush() }
    }

    @Test("a will is published for who vanishes and not for who says goodbye")
    func will() throws {
        let broker = try TestBroker()
        let watcher = try broker.connect("watcher")
        try watcher.subscribed(to: "wills")
        for name in ["polite", "vanishing"] {
            let connection = try broker.connect(name) {
                $0.will = Will(topic: "wills", payload: Array(name.utf8), isRetained: true)
            }
            if name == "polite" { connection.disconnect() }
        }
        #expect(try watcher.payloads(1) == ["vanishing"])
    }

    @Test("after disconnect nothing more is done")
    func disconnected() throws {
        let broker = try TestBroker()
        let connection = try broker.connect("x")
        connection.disconnect()
        connection.disconnect()
        #expect(throws: MQTTError.notConnected) { try connection.publish(topic: "a", payload: []) }
        let never = try MQTTConnection(broker.configuration("y"))
        #expect(throws: MQTTError.notConnected) { try never.flush() }
    }

    @Test(
        "bytes that are not MQTT lose the connection and nothing else",
        arguments: [
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],  // A length of more than four bytes.
            [0x30, 2, 0, 0],  // PUBLISH without a topic.
            [0x30, 4, 0, 9, 0x61, 0],  // A topic longer than its packet.
            [0x32, 6, 0, 1, 0x61, 0, 0, 0],  // Packet identifier 0.
            [0x36, 6, 0, 1, 0x61, 0, 1, 0],  // QoS 3.
            [0x30, 5, 0, 2, 0x61, 0, 0],  // A NUL in the topic.
            [0x30, 6, 0, 1, 0x61, 0x7F, 1, 0],  // Properties longer than the packet.
            [0x40, 1, 0],  // Half a PUBACK.
            [0x40, 2, 0, 0],  // PUBACK of nothing.
            [0x90, 2, 0, 1],  // SUBACK without a code.
            [0x10, 0],  // CONNECT, from a server.
        ] as [[UInt8]])
    func nonsense(bytes: [UInt8]) throws {
        let peer = try ScriptedPeer()
        let connection = try peer.connect(answering: bytes)
        #expect([.protocolViolation, .connectionLost(errno: 0)].contains(try loss(of: connection)))
    }

    @Test("an acknowledgement of what was never sent changes no count")
    func strayAcknowledgement() throws {
        let peer = try ScriptedPeer()
        let connection = try peer.connect(answering: [0x40, 2, 0, 9])
        var batch = InboundBatch()
        try connection.readBatch(into: &batch, limit: 10)
        #expect(connection.unacknowledgedCount == 0)
    }

    @Test("a broken descriptor is ready for whoever wants something of it, and for nobody else")
    func broken() throws {
        let broker = try TestBroker()
        let connection = try broker.connect("x")
        broker.stop()
        var watched = [WatchedDescriptor(connection.fileDescriptor)]
        #expect(try waitForEvents(&watched, timeout: .seconds(10)) == 1)
        watched = [WatchedDescriptor(connection.fileDescriptor, read: false, write: true)]
        #expect(try waitForEvents(&watched, timeout: .zero) == 1)
        watched = [WatchedDescriptor(connection.fileDescriptor, read: false)]
        #expect(try waitForEvents(&watched, timeout: .zero) == 0)
    }
}
