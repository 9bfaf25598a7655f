import ParleyProtocol
import TestSupport
import Testing

/// What strangers and groups cost, by the settings and over a real broker.
@Suite("Group limits", .ownThreads)
struct GroupLimitsTests {
    private static func gateway(_ changes: JSON) throws -> TestGateway {
        try TestGateway(settings: TestGateway.roomy.with(changes))
    }

    private func group(_ others: [String]) -> JSON {
        ["type": "group", "id": .string(newID()), "participant_ids": .array(others.map { .string($0) })]
    }

    @Test("a stranger who is put into a group costs a first message, a friend nothing, a refusal and a repeat nothing")
    func strangers() throws {
        let gateway = try Self.gateway(["first_message_burst": 9, "first_messages_per_hour": 1])
        let people = try gateway.people(10)
        let (alice, names) = (try gateway.connect(people[0]), people[1...].map(\.username))
        let friend = try gateway.connect(people[1])
        try alice.accepted("social/follow", ["user_id": .string(friend.user)])
        try friend.accepted("social/follow", ["user_id": .string(alice.user)])
        try friend.subscribe("parley/v1/users/\(friend.user)/events")
        let made = group(names)
        for _ in 0..<3 { try alice.accepted("conversations/create", made) }
        // Eight strangers and a friend: one is left.
        let refused = try alice.request("conversations/create", group(Array(names[1...2])))
        #expect(refused["error"]["code"] == "rate_limited")
        #expect(try #require(refused["error"]["retry_after_ms"].int) > 3_000_000)
        #expect(try alice.refusal("conversations/create", group(["nobody", names[2]])) == "not_found")
        let small = group([names[0]])
        try alice.accepted("conversations/create", small)
        let adding: JSON = ["conversation_id": small["id"], "user_ids": [.string(names[3])]]
        for _ in 0..<3 { try alice.accepted("conversations/add-members", adding) }
        #expect(
            try alice.refusal("conversations/add-members", adding.with(["user_ids": [.string(names[4])]]))
                == "rate_limited")
        // A first message to a stranger is as much.
        let direct = try alice.accepted(
            "conversations/create", ["type": "direct", "participant_ids": [.string(names[5])]])
        #expect(try alice.refusal("messages/send", message(direct["id"].text ?? "")) == "rate_limited")
        try friend.accepted("profile/get")
        #expect(friend.events(on: "users/\(friend.user)/events").count { $0["type"] == "conversation.created" } == 2)
    }

    @Test("nobody is in more groups than the setting because others have put them in")
    func groupsByOthers() throws {
        let gateway = try Self.gateway(["groups_by_others": 3])
        let people = try gateway.people(3)
        let clients = try people.map { try gateway.connect($0) }
        let (alice, victim, third) = (clients[0], clients[1], clients[2])
        try victim.subscribe("parley/v1/users/\(victim.user)/events")
        for _ in 0..<3 { try alice.accepted("conversations/create", group([victim.user])) }
        let full = try alice.request("conversations/create", group([third.user, victim.user]))
        #expect(full["error"]["code"] == "forbidden")
        try third.accepted("social/block", ["user_id": .string(alice.user)])
        let blocked = try alice.request("conversations/create", group([third.user]))
        #expect(blocked["error"] == full["error"])
        // Their own count for nothing.
        try victim.accepted("conversations/create", group([third.user]))
        let list = try victim.accepted("conversations/list")
        #expect(list["total"] == 4)
        #expect(victim.events(on: "users/\(victim.user)/events").count == 4)
        let left = try #require(list["conversations"].elements.last)
        try victim.accepted("conversations/leave", ["conversation_id": left["id"]])
        try alice.accepted("conversations/create", group([victim.user]))
        #expect(try alice.refusal("conversations/create", group([victim.user])) == "forbidden")
    }

    @Test("a stranger's devices are named no more often than their keys may be fetched, whether one is blocked or not")
    func staleDevices() throws {
        let gateway = try Self.gateway(["key_fetches_per_hour": 4])
        let people = try gateway.people(1) + gateway.people(2, privacy: .followers)
        let clients = try people.map { try gateway.connect($0) }
        for client in clients[1...] {
            for name in ["phone", "tablet-of-theirs"] {
                let device = name == "phone" ? client : try gateway.connect(try gateway.device(name, of: client.user))
                try device.accepted("keys/publish", ["identity_key": .string(base64([UInt8](repeating: 9, count: 32)))])
            }
        }
        try clients[2].accepted("social/block", ["user_id": .string(clients[0].user)])
        let directs = try clients[1...].map { other in
            try clients[0].accepted(
                "conversations/create", ["type": "direct", "participant_ids": [.string(other.user)]])["id"].text ?? ""
        }
        // Two about each, and then none of either.
        var codes: [String?] = []
        for _ in 0..<3 {
            for direct in directs { codes.append(try clients[0].refusal("messages/send", message(direct))) }
        }
        #expect(codes == Array(repeating: "stale_devices", count: 4) + Array(repeating: "rate_limited", count: 2))
        #expect(try clients[0].refusal("keys/get", ["user_id": .string(clients[1].user)]) == "rate_limited")
    }

    @Test("who makes a direct conversation is not told that a stranger had made it before")
    func madeTwice() throws {
        let gateway = try TestGateway()
        let clients = try gateway.people(2, privacy: .followers).map { try gateway.connect($0) }
        let (alice, bob) = (clients[0], clients[1])
        func make(_ client: DeviceClient, with other: DeviceClient) throws -> JSON {
            try client.accepted("conversations/create", ["type": "direct", "participant_ids": [.string(other.user)]])
        }
        let first = try make(alice, with: bob)
        let id = try #require(first["id"].text)
        try alice.listen(to: id, "messages", "info")
        let second = try make(bob, with: alice)
        #expect(second["created_by"].text == bob.user && second["id"] == first["id"])
        #expect(try #require(second["created_at"].text) > #require(first["created_at"].text))
        #expect(second["updated_at"] == second["created_at"])
        #expect(second["members"].elements.allSatisfy { $0["joined_at"] == second["created_at"] })
        // Nothing is retained there that tells, and alice hears nothing of it.
        try bob.listen(to: id, "messages", "info")
        #expect(try bob.accepted("conversations/get", ["conversation_id": .string(id)]) == second)
        #expect(try alice.accepted("conversations/get", ["conversation_id": .string(id)]) == first)
        for client in clients { try client.accepted("profile/get") }
        for client in clients { #expect(client.events(on: "conversations/\(id)/info").isEmpty) }
    }
}
