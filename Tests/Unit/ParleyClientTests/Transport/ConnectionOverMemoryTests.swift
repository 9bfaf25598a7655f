import MemoryTransport
import ParleyClient
import ParleyProtocol
import Testing

@Suite("A device's connection over a network that does what it is told", .timeLimit(.minutes(20)))
struct ConnectionOverMemoryTests {
    private let list = ListConversations.operation

    /// One request on a connection of its own.
    private func ask(_ device: MemoryDevice) async throws -> GatewayReply {
        try await DeviceConnection.open(device.connection) { try await $0.list() }
    }

    @Test("a request whose replies are lost is asked again until one arrives")
    func lostReplies() async throws {
        let device = try MemoryDevice(
            Weather { [list] passage in passage.leg == .reply(list) && passage.number <= 2 ? .lost : .arrives })
        #expect(try await ask(device).isAccepted)
        #expect(device.broker.requests == [list, list, list])
    }

    @Test("a request that the gateway never sees is repeated until it does")
    func lostRequests() async throws {
        let device = try MemoryDevice(
            Weather { [list] passage in passage.leg == .request(list) && passage.number <= 3 ? .lost : .arrives })
        #expect(try await ask(device).isAccepted)
        #expect(device.broker.requests.count == 4)
    }

    @Test("the second reply to a request that arrived twice ends no other request")
    func strayReply() async throws {
        let device = try MemoryDevice(
            Weather { [list] passage in
                switch (passage.leg, passage.number) {
                case (.request(list), 1): .doubled
                // The first request's second reply comes while the second waits, whose first reply is lost.
                case (.reply(list), 2): .overtaken(.milliseconds(5))
                case (.reply(list), 3): .lost
                default: .arrives
                }
            })
        try await DeviceConnection.open(device.connection) { connection in
            for _ in 0..<2 {
                let reply = try await connection.list()
                #expect(reply.isAccepted)
            }
        }
        #expect(device.broker.requests.count == 3)
    }

    @Test("what the broker refuses is forbidden and not asked again; what it has no room for is")
    func turnedAway() async throws {
        for (isForLackOfRoom, code, count) in [(false, ErrorCode.forbidden, 1), (true, nil, 2)] {
            let device = try MemoryDevice(
                Weather { [list] passage in
                    passage.leg == .request(list) && passage.number == 1
                        ? .turnedAway(isForLackOfRoom: isForLackOfRoom) : .arrives
                })
            #expect(try await ask(device).rejection?.code == code)
            #expect(device.broker.requests.count == count)
        }
    }

    @Test("of more requests than the broker takes at once each is sent once and answered")
    func quota() async throws {
        let device = try MemoryDevice()
        var configuration = device.connection
        configuration.firstRepeat = .seconds(1000)
        try await DeviceConnection.open(configuration) { connection in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<200 {
                    group.addTask { try await connection.list().isAccepted }
                }
                for try await isAccepted in group { #expect(isAccepted) }
            }
        }
        #expect(device.broker.requests.count == 200)
    }

    @Test("a request that was under way when the connection broke is sent again on the next one, at once")
    func brokenUnderWay() async throws {
        let (passages, tell) = AsyncStream<Passage>.makeStream()
        let device = try MemoryDevice(
            Weather { [list] passage in
                tell.yield(passage)
                return passage.leg == .request(list) && passage.number == 1 ? .lost : .arrives
            })
        var configuration = device.connection
        // Nothing but the new connection repeats it.
        configuration.firstRepeat = .seconds(1000)
        try await DeviceConnection.open(configuration) { connection in
            async let reply = connection.list()
            for await passage in passages where passage.leg == .request(list) { break }
            device.broker.dropConnections()
            let answer = try await reply
            #expect(answer.isAccepted)
        }
        #expect(device.broker.connections == 2)
        #expect(device.broker.requests.count == 2)
    }

    @Test("a request waits for a gateway that is not ready yet")
    func notReady() async throws {
        let device = try MemoryDevice()
        device.broker.refuseSignIns(.notReady)
        try await DeviceConnection.open(device.connection) { connection in
            async let reply = connection.list()
            for await case .waiting(.notReady, _) in connection.events { break }
            device.broker.refuseSignIns(nil)
            let answer = try await reply
            #expect(answer.isAccepted)
        }
        #expect(device.broker.connections == 1)
    }

    @Test("an end without a word is looked into once, and what is found counts")
    func diagnosis() async throws {
        for finding in [nil, ConnectionError.tlsRequired] {
            let device = try MemoryDevice()
            device.broker.refuseSignIns(.notReady)
            device.broker.setDiagnosis(finding)
            try await DeviceConnection.open(device.connection) { connection in
                var (pauses, hasEnded) = (0, false)
                for await event in connection.events {
                    if case .waiting(.notReady, _) = event { pauses += 1 }
                    if case .ended(.tlsRequired) = event { hasEnded = true }
                    if pauses == 3 { break }
                }
                #expect(hasEnded == (finding != nil) && pauses == (finding == nil ? 3 : 0))
            }
            #expect(device.broker.diagnoses == 1)
        }
    }

    @Test("a sign-in that is refused for good ends the connection, and every request with its reason")
    func refusedForGood() async throws {
        let device = try MemoryDevice()
        device.broker.refuseSignIns(.notAuthorized)
        try await DeviceConnection.open(device.connection) { connection in
            for _ in 0..<2 {
                let failure = await #expect(throws: NoReplyError.self) { try await connection.list() }
                guard case .ended(.notAuthorized)? = failure else { throw UnexpectedError(failure) }
            }
            var hasEnded = false
            for await event in connection.events { if case .ended(.notAuthorized) = event { hasEnded = true } }
            #expect(hasEnded)
        }
        #expect(device.broker.connections == 0)
    }

    @Test("subscriptions are made again on the next connection, and one that was refused is not")
    func subscriptions() async throws {
        let device = try MemoryDevice()
        let (good, bad) = (Topic.user(device.address.user, .events).name, Topic.user(device.bob, .events).name)
        device.broker.refuse(filter: bad)
        try await DeviceConnection.open(device.connection) { connection in
            connection.subscribe(to: bad)
            connection.subscribe(to: good)
            var told: [String] = []
            for await event in connection.events {
                switch event {
                case .subscribed(let filter):
                    told.append("+" + filter)
                    if told.count == 2 { device.broker.dropConnections() }
                case .subscriptionRefused(let filter): told.append("-" + filter)
                case .connected, .waiting, .message, .missed, .ended: break
                }
                if told.count == 3 { break }
            }
            #expect(told == ["-" + bad, "+" + good, "+" + good])
        }
        #expect(device.broker.asked == [bad, good, good])
    }
}

extension DeviceConnection {
    /// Asks for the conversations.
    fileprivate func list() async throws(NoReplyError) -> GatewayReply {
        try await request(ListConversations.operation, payload: Array("{}".utf8), timeout: .seconds(100))
    }
}
