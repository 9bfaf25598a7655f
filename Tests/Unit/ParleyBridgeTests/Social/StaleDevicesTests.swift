import ParleyProtocol
import ParleyRules
import Sodium
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// `stale_devices` names somebody's devices: about a stranger it costs what a fetch of their keys costs.
@Suite("What a refused message tells of a stranger's devices")
struct StaleDevicesTests {
    private func world(fetches: Int = 3, privacy: MessagePrivacy = .followers) throws -> SocialWorld {
        let world = try SocialWorld(privacy: privacy) { $0.keyFetchesPerHour = fetches }
        try world.test.execute("UPDATE devices SET identity_key = zeroblob(32), keys_at = 0 WHERE user <> 'operator'")
        return world
    }

    private func stale(
        _ world: SocialWorld, in conversation: ConversationID, from user: UserID = "alice", now: Timestamp = at(0)
    ) throws -> Published {
        try world.result(of: try send(conversation, from: device(user, "phone")), now: now).reply
    }

    @Test("after an hour's fetches there is no further word about a stranger's devices")
    func noFurtherWord() throws {
        let world = try world()
        let id = try ConversationID.direct(["alice", "bob"])
        try world.create(by: "alice", with: "bob")
        for _ in 0..<3 { #expect(try stale(world, in: id).code == "stale_devices") }
        let refused = try stale(world, in: id)
        #expect(refused.code == "rate_limited" && refused.retryAfter == 1_200_000)
        #expect(!String(decoding: refused.payload, as: UTF8.self).contains("laptop"))
        #expect(try stale(world, in: id, now: at(1_200_000)).code == "stale_devices")
        // The one message is not spent by any of it.
        #expect(try world.canMessage("alice", "bob") == "may, limited: request")
    }

    @Test("fetches of keys and these refusals are counted together")
    func countedTogether() throws {
        let world = try world()
        let reader = try world.test.reader(limits: world.test.writer.limits)
        func fetch() throws -> String? {
            let fetching = try request(GetKeys.self, #"{"user_id":"carol"}"#, from: device("alice", "phone"))
            return try reader.answer(fetching, now: at(0)).published.first?.code
        }
        try world.create(by: "alice", with: "bob")
        #expect(try fetch() == nil)
        for _ in 0..<2 {
            #expect(try stale(world, in: .direct(["alice", "bob"])).code == "stale_devices")
        }
        #expect(try fetch() == "rate_limited")
    }

    @Test("who was blocked is counted as whom the other does not know")
    func blockedCountAsStrangers() throws {
        func answers(_ prepare: (SocialWorld) throws -> Void) throws -> [[UInt8]] {
            let world = try world()
            try world.create(by: "alice", with: "bob")
            try prepare(world)
            return try (0..<6).map { _ in try stale(world, in: .direct(["alice", "bob"])).payload }
        }
        let strangers = try answers { _ in }
        #expect(try answers { try $0.ask(Block.self, by: "bob", of: "alice") } == strangers)
        #expect(
            try answers {
                try $0.create(by: "bob", with: "alice")
                try $0.ask(Block.self, by: "bob", of: "alice")
            }
                == answers {
                    try $0.create(by: "bob", with: "alice")
                    try $0.ask(Unfollow.self, by: "bob", of: "alice")
                })
    }

    @Test("of friends and of members of a group it costs nothing")
    func acquaintancesCostNothing() throws {
        let world = try world(fetches: 1)
        try world.befriend("alice", "bob")
        try world.create(by: "alice", with: "bob")
        for _ in 0..<5 { #expect(try stale(world, in: .direct(["alice", "bob"])).code == "stale_devices") }
        let group = try world.test.conversation(["alice", "carol"])
        for _ in 0..<5 { #expect(try stale(world, in: group).code == "stale_devices") }
    }

    @Test("a message for a key that was replaced is refused, whether the list names the key or the message does")
    func replacedKeyIsRefused() throws {
        let world = try SocialWorld(privacy: .anyone)
        try world.create(by: "alice", with: "bob")
        let (id, phone) = (try ConversationID.direct(["alice", "bob"]), device("bob", "phone"))
        func message(for key: TestKeys, listed: Bool) throws -> IncomingCommand {
            let digest = try BLAKE2b.hash(key.identityKey.span, length: .bytes32)
            let keyID = try #require(KeyID(Array(digest.prefix(8))))
            let recipient = RecipientKey(
                address: phone, encryptedKey: [UInt8](repeating: 3, count: 48), keyID: keyID)
            return try request(
                SendMessage(
                    id: .random(), conversation: id, type: .text, suite: .naclBox,
                    content: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 9, count: 24),
                    recipientKeys: listed ? [recipient] : nil, recipientKeyID: listed ? nil : keyID),
                from: device("alice", "phone"))
        }
        let (old, new) = (try TestKeys(1), try TestKeys(2))
        var published = old
        for other in [new, old] {
            #expect(try world.result(of: publish(published, from: phone)).code == nil)
            for listed in [true, false] {
                #expect(try world.result(of: message(for: published, listed: listed)).code == nil)
                let refused = try world.result(of: message(for: other, listed: listed)).reply
                #expect(refused.code == "stale_devices")
                #expect(refused.missing == ["bob/phone"] && refused.extra == ["bob/phone"])
            }
            published = other
        }
        try world.ask(RevokeDevice.self, by: "bob", #"{"device_id":"phone"}"#)
        let gone = try world.result(of: message(for: old, listed: true)).reply
        #expect(gone.code == "stale_devices" && gone.missing == [] && gone.extra == ["bob/phone"])
        #expect(try world.result(of: message(for: old, listed: false)).code == nil)
    }

    @Test("a spent request costs nothing of it")
    func spentRequestCostsNothing() throws {
        let world = try world(fetches: 1)
        try world.create(by: "alice", with: "bob")
        try world.test.execute("UPDATE devices SET identity_key = NULL, keys_at = NULL WHERE user <> 'carol'")
        #expect(try world.write("alice", to: "bob").code == nil)
        _ = try world.test.writer.write(now: at(0)) { $0.drop(device("bob", "phone")) }
        try world.test.execute("UPDATE devices SET identity_key = zeroblob(32), keys_at = 0 WHERE user <> 'operator'")
        for _ in 0..<5 { #expect(try stale(world, in: .direct(["alice", "bob"])).code == "request_limit") }
        try world.create(by: "alice", with: "carol")
        #expect(try stale(world, in: .direct(["alice", "carol"])).code == "stale_devices")
    }
}
