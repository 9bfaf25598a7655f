import ParleyProtocol
import ParleyPush
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Who may take a registration from whom, and what they hear who lose one.
@Suite("Registrations with push services", .onEveryStore)
struct PushRegistrationTests {
    private static let webhook = #"{"provider":"webhook","endpoint":"https://app.example.com/hook","secret":"SECRET"}"#
    private static let subscription =
        #"{"provider":"webpush","endpoint":"https://push.example.com/a","p256dh":"KEY","auth":"SECRET"}"#
    // The generator of P-256, and twice it (SEC 2, 2.4.2).
    private static let points = [
        "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
        "BHzyexiNA09-ilI4AwS1GsPAiWnid_IbNaYLSPxHZpl4B3dVENuO0EApPZrGn3Qw27p9reY86YIpngS3nSJ4c9E",
    ]

    /// Everybody who is registered.
    private func registered(_ world: PushWorld) throws -> [String] {
        try world.test.store.read { snapshot throws in
            try snapshot.pushRegistrations.registrations(of: ["alice", "bob", "carol"]).values
                .flatMap { $0.map(\.device.description) }.sorted()
        }
    }

    /// carol's phone registers.
    @discardableResult
    private func register(_ target: String, _ world: PushWorld, now: Timestamp = at(1)) throws -> [String] {
        try register("carol", "phone", target, world, now: now)
    }

    /// A device registers.
    ///
    /// - Returns: what somebody is told of it.
    @discardableResult
    private func register(
        _ user: UserID, _ name: DeviceID, _ target: String, _ world: PushWorld, now: Timestamp = at(1)
    ) throws -> [String] {
        let outcome = world.test.carryOut([try request(RegisterPush.self, target, from: device(user, name))], now: now)
        let published = try outcome.effects.outgoing.published
        #expect(published.first { $0.isOK != nil }?.isOK == true)
        return published.compactMap { event in
            guard event.event == "push.ended" else { return nil }
            let data = event.data
            let words = ["user_id", "device_id", "provider", "reason", "at"].map { data[$0] as? String ?? "none" }
            return "\(event.topic.dropFirst(Topic.prefix.utf8.count)): \(words.joined(separator: " "))"
        }
    }

    @Test(
        "who knows an endpoint and not its secret takes it from nobody; who knows both does, and the loser hears of it",
        arguments: [
            (PushRegistrationTests.webhook, "webhook", ["0123456789abcdef", "0123456789abcdeg"]),
            (PushRegistrationTests.subscription, "webpush", ["AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAQ"]),
        ])
    func endpoint(template: String, provider: String, secrets: [String]) throws {
        let world = try PushWorld()
        func target(_ number: Int) -> String {
            template.replacing("SECRET", with: secrets[number]).replacing("KEY", with: Self.points[number])
        }
        try register("bob", "phone", target(0), world)
        #expect(try register(target(1), world) == [])
        #expect(try registered(world) == ["bob/phone", "carol/phone"])
        let message = try world.write(now: at(2))
        let begun = try world.step(now: at(2)).begun
        #expect(begun.map(\.device.description) == ["bob/phone"])
        try world.step(now: at(2), outcomes: world.outcomes(begun, .accepted(status: 201)))
        #expect(try world.answers(of: message) == ["accepted (201) after 1, repeated 0"])
        // Another spelling of the same endpoint, with its secret.
        let spelled = target(0).replacing("https://app.", with: "https://APP.").replacing(".com/", with: ".com:443/")
        #expect(
            try register(spelled, world, now: at(3))
                == ["users/bob/events: bob phone \(provider) taken \(at(3))"])
        #expect(try registered(world) == ["carol/phone"])
        // The device itself may register the same as often as it likes.
        #expect(try register(target(0), world, now: at(4)) == [])
    }

    @Test("the same subscription under other keys than before is the same: what shows whose it is is its auth")
    func otherKey() throws {
        let world = try PushWorld()
        let target = Self.subscription.replacing("SECRET", with: "AAAAAAAAAAAAAAAAAAAAAA")
        try register("bob", "phone", target.replacing("KEY", with: Self.points[0]), world)
        let ended = try register(target.replacing("KEY", with: Self.points[1]), world)
        #expect(ended == ["users/bob/events: bob phone webpush taken \(at(1))"])
    }

    @Test(
        "a token belongs to one device, of whichever user, and who had it hears that it is another's",
        arguments: [
            (#"{"provider":"fcm","token":"device:1"}"#, "fcm"),
            (#"{"provider":"apns","token":"00112233445566778899aabbccddeeff","topic":"app"}"#, "apns"),
        ])
    func token(target: String, provider: String) throws {
        let world = try PushWorld()
        try register("bob", "phone", target, world)
        #expect(
            try register("bob", "laptop", target, world)
                == ["users/bob/events: bob phone \(provider) taken \(at(1))"])
        #expect(
            try register(target, world, now: at(2))
                == ["users/bob/events: bob laptop \(provider) taken \(at(2))"])
        #expect(try registered(world) == ["carol/phone"])
    }

    @Test("what an earlier version has written is taken by who knows its secret, and by nobody else")
    func earlierVersion() throws {
        let world = try PushWorld()
        let target = Self.webhook.replacing("SECRET", with: "0123456789abcdef")
        try register("bob", "phone", target, world)
        let former = try RegisterPush(members: JSONObject(parsing: Array(target.utf8))).digest(with: nil)
        try world.test.store.write {
            try $0.database.run("UPDATE push_registrations SET address = ? WHERE device = 'phone'", [former])
        }
        #expect(try register("carol", "laptop", target.replacing("cdef", with: "cdee"), world) == [])
        #expect(try registered(world) == ["bob/phone", "carol/laptop"])
        #expect(try register(target, world) == ["users/bob/events: bob phone webhook taken \(at(1))"])
        #expect(try registered(world) == ["carol/laptop", "carol/phone"])
    }

    @Test("whose registration the service has ended hears of it once; an answer about an earlier one ends nothing")
    func gone() throws {
        let world = try PushWorld()
        try world.write()
        let begun = try world.step().begun
        let step = try world.step(now: at(5), outcomes: world.outcomes(begun, .ended(status: 410, since: nil)))
        let end = try #require(try step.outgoing.events.first { $0.event == "push.ended" })
        #expect(end.topic == "parley/v1/users/bob/events" && !end.isRetained)
        let expected = PushEnd(
            device: device("bob", "phone"), provider: .known(.webhook), reason: .known(.gone), at: at(5))
        #expect(
            try EventTable.read(end.payload, on: .user("bob", .events)) as? PushEnd == expected)
        let again = try world.step(now: at(6), outcomes: world.outcomes(begun, .ended(status: 410, since: nil)))
        #expect(!again.events.contains { $0.hasSuffix("push.ended") })
        // Kept until the broker has it.
        #expect(try world.unpublished("push.ended") == 1)
    }

    @Test("who unregisters, registers anew or is revoked is told of no end")
    func ownDoing() throws {
        let world = try PushWorld()
        #expect(
            try register("bob", "phone", Self.webhook.replacing("SECRET", with: "0123456789abcdef"), world) == [])
        let outcome = world.test.carryOut([
            try request(UnregisterPush.self, "{}", from: device("bob", "phone")),
            try request(RevokeDevice.self, #"{"device_id":"phone"}"#, from: device("bob", "laptop")),
        ])
        #expect(try !outcome.effects.outgoing.events.contains { $0.event == "push.ended" })
    }

    @Test("the list of devices says what is registered, and neither where nor with which secret")
    func listed() throws {
        let world = try PushWorld()
        func list() throws -> [String] {
            let reply = try world.social.read(ListDevices.self, by: "bob")
            let devices = try #require(reply.data["devices"] as? [[String: Any]])
            return devices.map { device in
                let push = device["push"] as? [String: Any]
                let members = push?.map { "\($0): \($1)" }.sorted().joined(separator: ", ")
                return "\(device["device_id"] ?? "none"): \(members ?? "none")"
            }
        }
        #expect(try list() == ["laptop: none", "phone: provider: webhook, registered_at: \(at(0))"])
        try register("bob", "laptop", #"{"provider":"fcm","token":"device:1"}"#, world, now: at(7))
        #expect(try list().first == "laptop: provider: fcm, registered_at: \(at(7))")
        try register(#"{"provider":"fcm","token":"device:1"}"#, world)
        #expect(try list().first == "laptop: none")
    }
}
