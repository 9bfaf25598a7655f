import MQTTWire
import ParleyProtocol
import Platform
import TestSupport
import Testing

/// The door while what it depends on ends and comes again. Each test has a gateway and doors of its own.
@Suite("Web door faults", .ownThreads)
struct DoorFaultTests {
    /// An app that sends messages, each again under the same key until it is acknowledged.
    private struct Sender {
        let door: TestDoor
        let credentials: DeviceCredentials
        let conversation: String
        private(set) var acknowledged: [JSON] = []

        init(_ door: TestDoor, _ credentials: DeviceCredentials, _ conversation: String) {
            (self.door, self.credentials, self.conversation) = (door, credentials, conversation)
        }

        /// - Returns: the statuses other than of success that came.
        mutating func send(_ key: String) throws -> [Int] {
            let body = message(conversation).without("id")
            var failures: [Int] = []
            let id = try eventually("an acknowledgement of \(key)") { () -> JSON? in
                let answer = try door.ask(
                    "POST", "/api/v1/messages", body, as: credentials, ["Idempotency-Key: \(key)"])
                if answer.status == 201 { return answer.json["id"] }
                failures.append(answer.status)
                return nil
            }
            acknowledged.append(id)
            return failures
        }
    }

    private func history(_ device: DeviceClient, _ conversation: String) throws -> [JSON] {
        try device.accepted("history/get", ["conversation_id": .string(conversation), "limit": 100])["messages"]
            .elements.map { $0["id"] }
    }

    @Test("requests while the gateway is restarted are answered in time or 503, and make everything once")
    func gatewayRestarted() throws {
        let gateway = try TestGateway()
        let door = try TestDoor(gateway)
        let (alice, bob, conversation) = try gateway.pair()
        var sender = Sender(door, alice.credentials, conversation)
        #expect(try sender.send("before") == [])
        gateway.endParleyd(SIGKILL)
        // Under way while nobody answers: the door asks again until the gateway is there.
        let connection = try door.connect()
        let body = message(conversation)
        try connection.send(
            TestDoor.request("POST", "/api/v1/messages", body.bytes, token: alice.credentials.password))
        try gateway.startParleyd()
        let answer = try #require(try connection.answer())
        #expect([201, 503].contains(answer.status))
        #expect(try sender.send("after").allSatisfy { $0 == 503 })
        // Among cells the broker of one without a gateway ends the connections of devices.
        let ids = try history(try gateway.connect(bob.credentials), conversation)
        #expect(Set(ids).count == ids.count && Set(ids).isSuperset(of: sender.acknowledged))
        #expect(ids.filter { $0 != body["id"] } == sender.acknowledged)
    }

    @Test("requests while the broker is restarted are answered or 503, and WebSockets are told to come again")
    func brokerRestarted() throws {
        let gateway = try TestGateway()
        let door = try TestDoor(gateway)
        let (alice, bob, conversation) = try gateway.pair()
        let socket = try AppSocket.opened(door, bob.credentials)
        var sender = Sender(door, alice.credentials, conversation)
        #expect(try sender.send("before") == [])
        gateway.endBroker(SIGKILL)
        #expect(try socket.awaitClose() == 1012)
        let connection = try door.connect()
        let body = message(conversation)
        try connection.send(
            TestDoor.request("POST", "/api/v1/messages", body.bytes, token: alice.credentials.password))
        try gateway.startBroker()
        let answer = try #require(try connection.answer())
        #expect(answer.status == 201 || answer.status == 503)
        #expect(try sender.send("after").allSatisfy { $0 == 503 })
        let again = try AppSocket.opened(door, bob.credentials)
        #expect(try sender.send("heard").allSatisfy { $0 == 503 })
        _ = try again.event("message.new") { $0["id"] == sender.acknowledged.last }
        let ids = try history(try gateway.connect(bob.credentials), conversation)
        #expect(Set(ids).count == ids.count && ids.filter { $0 != body["id"] } == sender.acknowledged)
    }

    @Test("without a gateway a request is 503 with Retry-After, in the gateway's form")
    func unavailable() throws {
        let gateway = try TestGateway()
        let door = try TestDoor(gateway)
        let alice = try gateway.person()
        gateway.endParleyd(SIGKILL)
        let answer = try door.ask("POST", "/api/v1/profile/get", [:], as: alice)
        #expect(answer.status == 503 && answer.code == "unavailable")
        #expect(answer.fields["retry-after"].flatMap { Int($0) }.map { $0 > 0 } == true)
        #expect(try door.answersOthers())
    }

    @Test("SIGTERM lets requests under way be answered, ends WebSockets with 1012, and the door with 0")
    func shutDown() throws {
        let gateway = try TestGateway()
        let door = try TestDoor(gateway)
        let (alice, bob, conversation) = try gateway.pair()
        let socket = try AppSocket.opened(door, bob.credentials)
        var waiting: [(HTTPConnection, JSON)] = []
        for _ in 0..<50 {
            let (connection, body) = (try door.connect(), message(conversation))
            try connection.send(
                TestDoor.request("POST", "/api/v1/messages", body.bytes, token: alice.credentials.password))
            waiting.append((connection, body["id"]))
        }
        // The first has its answer: the others are at the door.
        #expect(try waiting[0].0.answer()?.status == 201)
        door.send(SIGTERM)
        var acknowledged: [JSON] = [waiting[0].1]
        for (connection, id) in waiting.dropFirst() {
            if let answer = try connection.answer() {
                #expect([201, 503].contains(answer.status))
                if answer.status == 201 { acknowledged.append(id) }
            }
        }
        #expect(try socket.awaitClose() == 1012)
        #expect(door.end() == 0)
        let ids = try history(bob, conversation)
        #expect(Set(ids).count == ids.count && Set(ids).isSuperset(of: acknowledged))
    }

    @Test("one token at two doors of different names: both answer, and both hear")
    func twoDoors() throws {
        let gateway = try TestGateway()
        let doors = [try TestDoor(gateway), try TestDoor(gateway)]
        let (alice, bob, conversation) = try gateway.pair()
        let sockets = try doors.map { try AppSocket.opened($0, bob.credentials) }
        var sender = Sender(doors[0], alice.credentials, conversation)
        #expect(try sender.send("one") == [])
        for socket in sockets { _ = try socket.event("message.new") { $0["id"] == sender.acknowledged[0] } }
        let body = message(conversation).without("id")
        let answers = try doors.map {
            try $0.ask("POST", "/api/v1/messages", body, as: alice.credentials, ["Idempotency-Key: two"])
        }
        #expect(answers.map(\.status) == [201, 201] && answers[0].json["id"] == answers[1].json["id"])
        #expect(try history(bob, conversation).count == 2)
    }

    @Test("a door that is killed and started again under the same name is used as before")
    func killed() throws {
        let gateway = try TestGateway()
        let (alice, bob, conversation) = try gateway.pair()
        let body = message(conversation).without("id")
        var ids: Set<JSON> = []
        for _ in 0..<3 {
            let door = try TestDoor(gateway, name: "same")
            let connection = try door.connect()
            try connection.send(
                TestDoor.request(
                    "POST", "/api/v1/messages", body.bytes, token: alice.credentials.password,
                    ["Idempotency-Key: once"]))
            door.end(with: SIGKILL)
            let again = try TestDoor(gateway, name: "same")
            let answer = try again.ask(
                "POST", "/api/v1/messages", body, as: alice.credentials, ["Idempotency-Key: once"])
            #expect(answer.status == 201)
            ids.insert(answer.json["id"])
            again.end(with: SIGKILL)
        }
        #expect(ids.count == 1)
        #expect(try history(bob, conversation) == Array(ids))
    }
}
