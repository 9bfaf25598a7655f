import ParleyProtocol
import ParleyRules
import ParleyStore
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

/// `links/offer`, `links/get`, `links/approve` (protocol §6, "Linking").
@Suite("Linking devices", .onEveryStore)
struct LinkDevicesTests {
    private let test: TestWriter
    private let reader: Reader
    private let account: TestAccount
    private let keys: TestKeys
    private let new: TestKeys
    private let phone = device("alice", "phone")
    private let laptop = device("alice", "laptop")
    private static let minutes: Int64 = 60_000

    /// Alice's phone is certified, her laptop is new.
    init() throws {
        test = try TestWriter()
        reader = try test.reader(Settings())
        account = try TestAccount(1)
        keys = try TestKeys(2)
        new = try TestKeys(3)
        #expect(try result(of: publish(keys, by: account, from: phone)).code == nil)
    }

    private func result(of incoming: IncomingCommand, now: Timestamp = at(0)) throws -> Published {
        try #require(try test.carryOut([incoming], now: now).effects.outgoing.replies.first)
    }

    private func events(of incoming: IncomingCommand, now: Timestamp = at(0)) throws -> [Published] {
        try test.carryOut([incoming], now: now).effects.outgoing.events.filter { $0.event != "keys.changed" }
    }

    private func get(
        _ device: DeviceID = "laptop", from sender: DeviceAddress? = nil, now: Timestamp = at(0)
    ) throws -> Published {
        try #require(
            try reader.answer(request(GetLink(device: device), from: sender ?? phone), now: now).published.first)
    }

    @Test("a device is offered, fetched, approved, and publishes")
    func offeredFetchedApprovedPublished() throws {
        let offered = try #require(try events(of: offer(new, from: laptop)).first)
        #expect(offered.topic == "parley/v1/users/alice/events" && offered.event == "link.offered")
        #expect(offered.data["device_id"] as? String == "laptop")
        #expect(offered.data["expires_at"] as? String == "\(at(10 * Self.minutes))")
        #expect(offered.data.count == 2)
        let link = PendingLink(device: "laptop", offer: new.offer, expiresAt: at(10 * Self.minutes))
        #expect(try get().payload == JSONWriter.reply { link.write(to: &$0) })
        let approval = try approve(new, of: laptop, by: account, from: phone)
        let outgoing = test.carryOut([approval]).effects.outgoing
        #expect(try outgoing.replies.first?.payload == JSONWriter.reply { writer in writer.object { _ in } })
        let approved = try #require(try outgoing.events.first)
        #expect(approved.topic == "parley/v1/users/alice/events")
        let heard = try #require(try EventTable.read(approved.payload, on: .user("alice", .events)) as? LinkApproval)
        #expect(heard == approval.request as? LinkApproval)
        // It publishes nothing: the device does, with what it was handed.
        #expect(try test.store.read { try $0.devices.keys(of: laptop) } == nil)
        #expect(try result(of: publish(new, by: account, from: laptop)).code == nil)
        #expect(try test.store.read { try $0.devices.summaries(of: "alice") }.allSatisfy { $0.isCertified })
    }

    @Test("an offer is approved once; the very same approval is answered again and announced once")
    func approvedOnce() throws {
        _ = try result(of: offer(new, from: laptop))
        let approval = try approve(new, of: laptop, by: account, from: phone)
        #expect(try events(of: approval).count == 1)
        let again = test.carryOut([approval]).effects.outgoing
        #expect(try again.replies.map(\.code) == [nil] && again.events.isEmpty)
        let others = [
            try approve(new, of: laptop, by: account, from: phone, sealed: 8),
            try approve(new, of: laptop, by: account, from: phone, issuedAt: at(1)),
        ]
        for other in others { #expect(try result(of: other).code == "conflict") }
        #expect(try result(of: publish(new, by: account, from: laptop)).code == nil)
        #expect(try result(of: approve(new, of: laptop, by: account, from: laptop)).code == "conflict")
    }

    @Test("after ten minutes there is nothing to be approved")
    func tenMinutes() throws {
        _ = try result(of: offer(new, from: laptop))
        let approval = try approve(new, of: laptop, by: account, from: phone)
        let (last, over) = (at(10 * Self.minutes - 1), at(10 * Self.minutes))
        #expect(try get(now: last).code == nil && get(now: over).code == "not_found")
        #expect(try result(of: approval, now: over).code == "not_found")
        #expect(try result(of: approval, now: last).code == nil)
        #expect(try result(of: approval, now: over).code == "not_found")
    }

    @Test("only a certified device of the user approves, and nothing but what was offered")
    func onlyCertifiedApprove() throws {
        _ = try result(of: offer(new, from: laptop))
        #expect(try result(of: approve(new, of: laptop, by: account, from: laptop)).code == "forbidden")
        // A device of another user looks among that user's own.
        let bob = device("bob", "phone")
        #expect(try result(of: publish(keys, by: account, from: bob)).code == nil)
        #expect(try result(of: approve(new, of: laptop, by: account, from: bob)).code == "not_found")
        #expect(try get(from: bob).code == "not_found" && get("phone").code == "not_found")
        let wrong = [
            try approve(keys, of: laptop, by: account, from: phone),
            try approve(new, of: laptop, by: TestAccount(9), from: phone),
            try approve(new, of: laptop, by: account, from: phone, issuedAt: at(300_001)),
        ]
        for wrong in wrong { #expect(try result(of: wrong).code == "bad_request") }
        #expect(try result(of: publish(new, from: phone)).code == nil)
        #expect(try result(of: approve(new, of: laptop, by: account, from: phone)).code == "forbidden")
    }

    @Test("who was certified by an account key that was reset approves nothing")
    func resetApprovesNothing() throws {
        _ = try result(of: offer(new, from: laptop))
        let (watch, other) = (device("alice", "watch"), try TestAccount(5))
        _ = try result(
            of: request(
                AddDevice.self, #"{"user_id":"alice","device_id":"watch"}"#, from: device("operator", "console")))
        #expect(try result(of: publish(TestKeys(6), by: other, from: watch, reset: true)).code == nil)
        #expect(try result(of: approve(new, of: laptop, by: account, from: phone)).code == "forbidden")
        #expect(try result(of: approve(new, of: laptop, by: account, from: watch)).code == "bad_request")
        #expect(try result(of: approve(new, of: laptop, by: other, from: watch)).code == nil)
    }

    @Test("a new offer takes the place of the device's older one, and said again it is announced once")
    func newOfferReplaces() throws {
        #expect(try events(of: offer(new, from: laptop)).count == 1)
        #expect(try events(of: offer(new, from: laptop), now: at(5)).isEmpty)
        let first = try approve(new, of: laptop, by: account, from: phone)
        let newer = try TestKeys(4)
        #expect(try events(of: offer(newer, from: laptop), now: at(9)).count == 1)
        #expect(try result(of: first).code == "bad_request")
        #expect(try result(of: approve(newer, of: laptop, by: account, from: phone)).code == nil)
        // Approved or not, another offer begins anew.
        #expect(try events(of: offer(new, from: laptop), now: at(10)).count == 1)
        #expect(try result(of: first).code == nil)
    }

    @Test("keys that protect nothing are not offered")
    func badKeysAreNotOffered() throws {
        let zero = [UInt8](repeating: 0, count: 32)
        for bad in [
            LinkOffer(identityKey: zero, signingKey: new.signingKey, linkKey: new.linkKey),
            LinkOffer(identityKey: new.identityKey, signingKey: zero, linkKey: new.linkKey),
            LinkOffer(identityKey: new.identityKey, signingKey: new.signingKey, linkKey: zero),
        ] { #expect(try result(of: request(bad, from: laptop)).code == "bad_request") }
    }

    @Test("sixteen devices of a user may wait; what has ended is forgotten, of everybody")
    func sixteenDevicesWait() throws {
        let console = device("operator", "console")
        for number in 0..<17 {
            let json = "{\"user_id\":\"alice\",\"device_id\":\"d\(number)\"}"
            _ = try result(of: request(AddDevice.self, json, from: console))
        }
        for number in 0..<16 {
            let sender = device("alice", DeviceID(validated: "d\(number)"))
            #expect(try result(of: offer(new, from: sender), now: at(Int64(number))).code == nil)
        }
        let refused = try result(of: offer(new, from: device("alice", "d16")), now: at(100))
        #expect(refused.code == "rate_limited" && refused.retryAfter == 599_900)
        #expect(try result(of: offer(new, from: device("bob", "phone")), now: at(100)).code == nil)
        #expect(try test.text("SELECT count(*) FROM link_offers") == "17")
        #expect(try result(of: offer(new, from: device("alice", "d16")), now: at(600_000)).code == nil)
        #expect(try test.text("SELECT count(*) FROM link_offers") == "17")
        #expect(try result(of: offer(new, from: device("carol", "phone")), now: at(2_000_000)).code == nil)
        #expect(try test.text("SELECT count(*) FROM link_offers") == "1")
    }

    @Test("what a revoked device has offered is offered by nobody")
    func revokedOffersNothing() throws {
        _ = try result(of: offer(new, from: laptop))
        #expect(try result(of: request(RevokeDevice(device: "laptop"), from: phone)).code == nil)
        #expect(try get().code == "not_found")
        _ = try result(
            of: request(
                AddDevice.self, #"{"user_id":"alice","device_id":"laptop"}"#, from: device("operator", "console")))
        #expect(try get().code == "not_found")
    }
}
