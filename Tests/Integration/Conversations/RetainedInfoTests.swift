import Glibc
import TestSupport
import Testing

/// The retained `info` of groups, through kills of the broker and of parleyd. Each test has a gateway of its own.
@Suite("Retained info", .ownThreads)
struct RetainedInfoTests {
    private let gateway: TestGateway
    private let alice: DeviceClient
    private let bob: DeviceClient

    init() throws {
        gateway = try TestGateway(settings: TestGateway.roomy)
        let clients = try gateway.clients(2)
        (alice, bob) = (clients[0], clients[1])
        try alice.befriend(bob)
    }

    private func group(_ name: String) throws -> String {
        let made = try alice.accepted(
            "conversations/create",
            ["id": .string(newID()), "type": "group", "name": .string(name), "participant_ids": [.string(bob.user)]])
        return try #require(made["id"].text)
    }

    @Test(
        "a new display name comes on info of the user's groups, live and retained, though parleyd is killed meanwhile",
        .oneMachine(.connection))
    func renamed() throws {
        let id = try group("One")
        try bob.listen(to: id, "info")
        try alice.accepted("profile/set", ["display_name": "Alicia"])
        gateway.endParleyd(SIGKILL)
        try gateway.startParleyd()
        func names(_ client: DeviceClient) throws -> [String?] {
            let data = try client.event("conversation.updated", on: "conversations/\(id)/info")
            return data["members"].elements.map { $0["username"].text }
        }
        while try !names(bob).contains("Alicia") {}
        let listener = try gateway.connect(bob.credentials, DeviceClient.Options(connection: "again"))
        try listener.listen(to: id, "info")
        #expect(try names(listener).contains("Alicia"))
    }

    @Test("the broker killed: info of every group is retained again, as the group now stands")
    func brokerKilled() throws {
        let groups = try ["One", "Two", "Three"].map { try group($0) }
        try alice.accepted("conversations/update", ["conversation_id": .string(groups[2]), "name": "Four"])
        for (id, name) in zip(groups, ["One", "Two", "Four"]) {
            try bob.listen(to: id, "info")
            while try bob.event("conversation.updated", on: "conversations/\(id)/info")["name"].text != name {}
        }
        gateway.endBroker(SIGKILL)
        try gateway.startBroker()
        let listener = try gateway.connect(bob.credentials)
        for (id, name) in zip(groups, ["One", "Two", "Four"]) {
            try listener.listen(to: id, "info")
            let data = try listener.event("conversation.updated", on: "conversations/\(id)/info")
            #expect(data["name"].text == name && data["members"].elements.count == 2)
        }
    }
}
