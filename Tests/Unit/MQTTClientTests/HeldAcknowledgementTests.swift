import MQTTClient
import TestSupport
import Testing

/// libmosquitto does not document that it holds acknowledgements back; durability stands on it.
@Suite("Acknowledgements that are held back", .ownThreads)
struct HeldAcknowledgementTests {
    private func intake(_ broker: TestBroker) throws -> MQTTConnection {
        try broker.connect("intake") {
            $0.acknowledgement = .held
            $0.cleanStart = false
            $0.sessionExpiry = .seconds(3600)
        }
    }

    private func fill(_ broker: TestBroker, count: Int) throws {
        let sender = try broker.connect("sender")
        try sender.publishNumbers(count, to: "up/x")
        sender.disconnect()
    }

    /// An intake that has read ten messages and flushed nothing.
    private func fullIntake(_ broker: TestBroker) throws -> MQTTConnection {
        let intake = try intake(broker)
        try intake.subscribed(to: "up/#")
        try fill(broker, count: 10)
        #expect(try intake.payloads(10, flushing: false) == (0..<10).map(String.init))
        return intake
    }

    @Test("what was read and not flushed is sent again in the next session")
    func unflushed() throws {
        let broker = try TestBroker()
        _ = try fullIntake(broker)

        let second = try intake(broker)
        #expect(second.session?.isPresent == true)
        #expect(try second.payloads(10, flushing: false) == (0..<10).map(String.init))
    }

    @Test("disconnecting acknowledges nothing that was not flushed")
    func disconnected() throws {
        let broker = try TestBroker()
        try fullIntake(broker).disconnect()
        #expect(try intake(broker).payloads(10, flushing: false) == (0..<10).map(String.init))
    }

    @Test("what was flushed is not sent again")
    func flushed() throws {
        let broker = try TestBroker()
        var first: MQTTConnection? = try fullIntake(broker)
        #expect(try first?.flush() == true)
        // The broker reads a connection in order: its answer to what follows says that it has read the PUBACKs.
        try first?.subscribed(to: "elsewhere")
        first = nil

        let second = try intake(broker)
        #expect(second.session?.isPresent == true)
        try fill(broker, count: 1)
        #expect(try second.payloads(1) == ["0"], "the ten would come before the new one")
    }
}
