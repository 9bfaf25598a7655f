import MQTTClient
import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

@Suite("What a batch publishes")
struct OutgoingTests {
    private func route(isSilent: Bool = false, responseTopic: String? = nil) throws -> ReplyRoute {
        ReplyRoute(
            address: device("alice", "phone"), operation: try #require(Operation(area: "keys", verb: "get")),
            responseTopic: responseTopic.map { Array($0.utf8) }, correlationData: [1, 2], requestID: nil,
            isSilent: isSilent)
    }

    private func sample() throws -> Outgoing {
        var outgoing = Outgoing()
        outgoing.event(.user("alice", .events), position: 4, retain: true) { $0.object { $0.member("type", "a") } }
        outgoing.accept(try route(responseTopic: "parley/v1/down/alice/phone/x")) { $0.object { _ in } }
        outgoing.reject(try route(), .unavailable)
        outgoing.raw(topic: Array("t".utf8), payload: Array("{}".utf8), position: 5, qos: .atMostOnce)
        return outgoing
    }

    @Test("each item has its topic, payload and place")
    func itemsHaveTopicPayloadPlace() throws {
        let published = try sample().published
        #expect(
            published.map(\.topic) == [
                "parley/v1/users/alice/events", "parley/v1/down/alice/phone/x",
                "parley/v1/down/alice/phone/keys/get/rejected", "t",
            ])
        #expect(published.map(\.position) == [4, nil, nil, 5])
        #expect(published.map(\.isRetained) == [true, false, false, false])
        #expect(published.map(\.qos) == [.atLeastOnce, .atLeastOnce, .atLeastOnce, .atMostOnce])
        #expect(published.map(\.correlationData) == [nil, [1, 2], [1, 2], nil])
        #expect(published.map(\.code) == [nil, nil, "unavailable", nil])
    }

    @Test("a secret reply is queued for nobody and expires, others are neither")
    func secretReplyExpires() throws {
        var outgoing = Outgoing()
        outgoing.accept(try route(), isSecret: true) { $0.object { _ in } }
        outgoing.accept(try route()) { $0.object { _ in } }
        #expect(outgoing.items.map(\.message.qos) == [.atMostOnce, .atLeastOnce])
        #expect(outgoing.items.map(\.message.expirySeconds) == [60, nil])
    }

    @Test("what is added to another is the same there")
    func addedIsTheSame() throws {
        var both = try sample()
        both.append(try sample())
        let published = try both.published
        #expect(published.count == 8)
        for (first, second) in zip(published[..<4], published[4...]) {
            #expect(first.topic == second.topic && first.payload == second.payload)
            #expect(first.position == second.position && first.correlationData == second.correlationData)
            #expect(first.isRetained == second.isRetained && first.qos == second.qos)
        }
    }

    @Test("what is silent has no reply")
    func silentHasNoReply() throws {
        var outgoing = Outgoing()
        outgoing.accept(try route(isSilent: true)) { $0.object { _ in } }
        outgoing.reject(try route(isSilent: true), .unavailable)
        #expect(outgoing.isEmpty)
    }
}

@Suite("The queue to the publisher")
struct OutQueueTests {
    private func items(_ count: Int) -> Outgoing {
        var outgoing = Outgoing()
        for _ in 0..<count { outgoing.raw(topic: [1], payload: [], position: nil) }
        return outgoing
    }

    @Test("there is room until so many wait, and again when they are published")
    func roomForItems() throws {
        let queue = try OutQueue(limit: OutLoad(items: 3, bytes: 1000))
        queue.add(items(2))
        #expect(queue.hasRoom)
        queue.add(items(2))
        #expect(!queue.hasRoom && queue.load == OutLoad(items: 4, bytes: 4))
        #expect(queue.drainBatches().map(\.items.count) == [2, 2])
        // Taken is not published.
        #expect(!queue.hasRoom)
        queue.release(OutLoad(items: 2, bytes: 2))
        #expect(queue.hasRoom && queue.load == OutLoad(items: 2, bytes: 2))
    }

    @Test("bytes fill it as items do: a writer's effects are added all the same, a reader waits")
    func roomForBytes() async throws {
        let queue = try OutQueue(limit: OutLoad(items: 1000, bytes: 100))
        var page = Outgoing()
        page.raw(topic: [1], payload: [UInt8](repeating: 2, count: 99), position: nil)
        queue.addWhenRoom(page)
        #expect(!queue.hasRoom && queue.load == OutLoad(items: 1, bytes: 100))
        queue.add(items(1))
        #expect(queue.drainBatches().map(\.items.count) == [1, 1])
        async let waited: Void = Task.detached { [page] in queue.addWhenRoom(page) }.value
        queue.release(OutLoad(items: 1, bytes: 100))
        await waited
        #expect(queue.load == OutLoad(items: 2, bytes: 101))
    }

    @Test("changes of audiences are taken apart from what is published")
    func audiencesAreApart() throws {
        let queue = try OutQueue(limit: OutLoad(items: 3, bytes: 1000))
        queue.add(items(1), audience: [.deviceEnded(device("alice", "phone"))])
        queue.add(Outgoing(), audience: [.deviceEnded(device("bob", "phone"))])
        #expect(queue.load.items == 1)
        #expect(
            queue.drainAudience().changes == [
                .deviceEnded(device("alice", "phone")), .deviceEnded(device("bob", "phone")),
            ])
        #expect(queue.drainAudience().changes.isEmpty)
        queue.add(Outgoing(), audience: [.deviceEnded(device("bob", "phone"))])
        queue.forgetAudience()
        #expect(queue.drainAudience().changes.isEmpty)
    }

    @Test("a reader waits for room, and for none that will not come")
    func readerWaitsForRoom() async throws {
        let queue = try OutQueue(limit: OutLoad(items: 1, bytes: 1000))
        queue.add(items(1))
        async let waited: Void = Task.detached { [items = items(1)] in queue.addWhenRoom(items) }.value
        queue.release(OutLoad(items: 1, bytes: 1))
        await waited
        #expect(queue.load.items == 1)
        async let dropped: Void = Task.detached { [items = items(1)] in queue.addWhenRoom(items) }.value
        queue.close()
        await dropped
        #expect(queue.load.items == 1)
    }
}
