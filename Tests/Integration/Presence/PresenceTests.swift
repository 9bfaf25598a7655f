import Glibc
import ParleyProtocol
import TestSupport
import Testing

/// Presence, from the connections at the broker to the friends. Each test has a gateway of its own.
@Suite("Presence", .ownThreads)
struct PresenceTests {
    /// - Parameter hold: in milliseconds; short in tests of going offline.
    private func gateway(hold: Int) throws -> (gateway: TestGateway, console: DeviceClient) {
        let gateway = try TestGateway(settings: TestGateway.roomy.with(["presence_hold_ms": .int(hold)]))
        return (gateway, try listening(gateway))
    }

    /// The operator, who hears everybody's presence.
    private func listening(_ gateway: TestGateway) throws -> DeviceClient {
        let console = try gateway.operatorClient()
        #expect(try console.subscribe("parley/v1/users/+/presence") == 1)
        return console
    }

    @Test("a user is online with their first connection, and offline when the last is gone for the hold")
    func comingAndGoing() throws {
        let (gateway, console) = try gateway(hold: 300)
        let credentials = try gateway.person()
        let phone = try gateway.connect(credentials)
        #expect(try console.presence(of: phone.user, "online").keys == ["user_id", "state"])
        let tool = try gateway.connect(credentials, DeviceClient.Options(connection: "cli"))
        phone.disconnect()
        // Another user comes and goes after them: a later event, behind which none of theirs can come.
        let other = try gateway.client()
        other.disconnect()
        _ = try console.presence(of: other.user, "offline")
        #expect(console.changes(of: phone.user, from: "online").isEmpty)
        tool.disconnect()
        let gone = try console.presence(of: phone.user, "offline")
        #expect(gone["last_seen"].text.flatMap { Timestamp($0) } != nil)
        #expect(try listening(gateway).retained(of: phone.user)["data"] == gone)
        let back = try gateway.connect(credentials)
        _ = try console.presence(of: phone.user, "online")
        back.disconnect()
    }

    @Test("a device whose connection is cut, and one that is cut again and again within the hold")
    func cut() throws {
        let (gateway, console) = try gateway(hold: 4_000)
        let (one, other) = (try gateway.person(), try gateway.person())
        func connectRaw(_ credentials: DeviceCredentials) throws -> WireClient {
            let client = try WireClient(port: gateway.mqttPort)
            let code = try client.connect(
                credentials.clientID, username: credentials.username, password: Array(credentials.password.utf8))
            #expect(code == 0)
            return client
        }
        let (flapping, leaving) = (try connectRaw(one), try connectRaw(other))
        _ = try console.presence(of: one.username, "online")
        _ = try console.presence(of: other.username, "online")
        flapping.close()
        for _ in 0..<3 { try connectRaw(one).close() }
        let back = try connectRaw(one)
        leaving.close()
        // They went after the other had come back, and it is known: nobody heard of the other meanwhile.
        _ = try console.presence(of: other.username, "offline")
        #expect(console.changes(of: one.username, from: "online").isEmpty)
        back.close()
        _ = try console.presence(of: one.username, "offline")
    }

    @Test("who shows their presence to nobody looks the same whatever they do; and turns it on again")
    func nobody() throws {
        let (gateway, console) = try gateway(hold: 200)
        let credentials = try gateway.person()
        let phone = try gateway.connect(credentials)
        _ = try console.presence(of: phone.user, "online")
        try phone.accepted("profile/set", ["presence": "nobody"])
        #expect(
            try console.presence(of: phone.user, "offline") == ["user_id": .string(phone.user), "state": "offline"])
        phone.disconnect()
        let again = try gateway.connect(credentials)
        again.disconnect()
        let other = try gateway.client()
        other.disconnect()
        _ = try console.presence(of: other.user, "offline")
        #expect(console.changes(of: phone.user, from: "offline").isEmpty)
        let last = try gateway.connect(credentials)
        try last.accepted("profile/set", ["presence": "friends"])
        _ = try console.presence(of: phone.user, "online")
    }

    @Test(
        "parleyd killed: who came and went meanwhile is made good of, and who stayed is not announced",
        .oneMachine(.connection))
    func gatewayKilled() throws {
        let (gateway, console) = try gateway(hold: 300)
        let people = try gateway.people(3)
        let (leaving, staying) = (try gateway.connect(people[0]), try gateway.connect(people[1]))
        for user in [leaving.user, staying.user] { _ = try console.presence(of: user, "online") }
        gateway.endParleyd(SIGKILL)
        leaving.disconnect()
        let coming = try gateway.connect(people[2])
        try gateway.startParleyd()
        _ = try console.presence(of: coming.user, "online")
        let gone = try console.presence(of: leaving.user, "offline")
        #expect(gone["last_seen"] != .null)
        // That they are online may be published once more, for the mark of what was published is behind.
        #expect(!console.states(of: staying.user).contains("offline"))
    }

    @Test("the broker killed: what it forgot is retained again; who does not come back goes")
    func brokerKilled() throws {
        let (gateway, console) = try gateway(hold: 3_000)
        let people = try gateway.people(3)
        let clients = try people.map { try gateway.connect($0) }
        for client in clients { _ = try console.presence(of: client.user, "online") }
        clients[2].disconnect()
        let gone = try console.presence(of: clients[2].user, "offline")
        gateway.endBroker(SIGKILL)
        try gateway.startBroker()
        let back = try gateway.connect(people[0])
        let listener = try listening(gateway)
        #expect(try listener.presence(of: clients[2].user, "offline") == gone)
        _ = try listener.presence(of: clients[1].user, "offline")
        // Every event of the user who is back, before or after the subscription, says online.
        _ = try listener.presence(of: back.user, "online")
        #expect(!listener.states(of: back.user).contains("offline"))
        #expect(try listening(gateway).retained(of: back.user)["data"]["state"] == "online")
    }

    @Test("a friend hears it, retained and live; a stranger may not, nor may who was a friend")
    func friends() throws {
        let (gateway, console) = try gateway(hold: 200)
        let clients = try gateway.clients(3)
        let (alice, bob, carol) = (clients[0], clients[1], clients[2])
        let topic = "parley/v1/users/\(bob.user)/presence"
        for client in [alice, carol] { #expect(try client.subscribe(topic) == 0x87) }
        #expect(try bob.subscribe(topic) == 1)
        try alice.befriend(bob)
        // The plugin is told a moment after the reply.
        try eventually("a friend's right to hear") { try alice.subscribe(topic) == 1 ? () : nil }
        #expect(try alice.presence(of: bob.user, "online")["user_id"].text == bob.user)
        #expect(try carol.subscribe(topic) == 0x87)
        #expect(try alice.subscribe("parley/v1/users/\(bob.user)/events") == 0x87)
        bob.disconnect()
        _ = try alice.presence(of: bob.user, "offline")
        try alice.accepted("social/unfollow", ["user_id": .string(bob.user)])
        let again = try gateway.connect(bob.credentials)
        _ = try console.presence(of: bob.user, "online")
        try alice.accepted("profile/get")
        #expect(alice.states(of: bob.user).isEmpty)
        #expect(try alice.subscribe(topic) == 0x87)
        again.disconnect()
    }
}

extension DeviceClient {
    /// The `data` of the next event that says so of the user; earlier ones of them are taken too.
    fileprivate func presence(of user: String, _ state: String) throws -> JSON {
        while true {
            let data = try event("presence.updated", on: "users/\(user)/presence")
            if data["state"].text == state { return data }
        }
    }

    /// The states of the user in the inbox.
    fileprivate func states(of user: String) -> [String] {
        events(on: "users/\(user)/presence").compactMap { $0["data"]["state"].text }
    }

    /// The states of the user in the inbox, but for a state that has come before: a cell publishes the presence of all
    /// once more when it has begun.
    fileprivate func changes(of user: String, from state: String) -> [String] {
        let states = states(of: user)
        return SiteForm.current.hasCells ? states.filter { $0 != state } : states
    }

    /// The retained copy, right after subscribing.
    fileprivate func retained(of user: String) throws -> JSON {
        try take("what is retained of \(user)") { $0.isRetained && $0.topic == "parley/v1/users/\(user)/presence" }
            .json
    }
}
