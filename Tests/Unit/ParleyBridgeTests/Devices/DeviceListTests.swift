import ParleyProtocol
import ParleyRules
import ParleyStore
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge

/// What `devices/list` says of a user's devices, and what the user hears of them.
@Suite("The list of devices")
struct DeviceListTests {
    private let test: TestWriter
    private let phone = device("alice", "phone")
    private let console = device("operator", "console")

    init() throws { test = try TestWriter() }

    private func outgoing(_ requests: [IncomingCommand], now: Timestamp = at(0)) -> Outgoing {
        test.carryOut(requests, now: now).effects.outgoing
    }

    private func add(_ device: DeviceID, name: String? = nil, id: Int = 0) throws -> IncomingCommand {
        let name = name.map { ",\"name\":\"\($0)\"" } ?? ""
        return try request(AddDevice.self, "{\"user_id\":\"alice\",\"device_id\":\"\(device)\"\(name)}", from: console)
    }

    private func addNew(_ device: DeviceID) throws -> IncomingCommand {
        let named = "{\"user_id\":\"alice\",\"device_id\":\"\(device)\",\"is_new\":true}"
        return try request(AddDevice.self, named, from: console)
    }

    private func renew(_ device: DeviceID) throws -> IncomingCommand {
        try request(RenewUserDevice.self, "{\"user_id\":\"alice\",\"device_id\":\"\(device)\"}", from: console)
    }

    private func listed(_ device: DeviceID) throws -> DeviceSummary? {
        try test.store.read { try $0.devices.summaries(of: "alice") }.first { $0.device == device }
    }

    @Test("a device that is made is told of as added, and one that has a new token as renewed")
    func addedAndRenewed() throws {
        func events(_ request: IncomingCommand) throws -> [String?] {
            try outgoing([request], now: at(3)).events.map(\.event)
        }
        let added = try #require(try outgoing([add("tablet")], now: at(3)).events.first)
        #expect(added.event == "device.added" && added.topic == "parley/v1/users/alice/events")
        #expect(added.data["user_id"] as? String == "alice" && added.data["device_id"] as? String == "tablet")
        #expect(added.data["at"] as? String == "\(at(3))")
        #expect(try events(add("tablet")) == ["device.renewed"])
        #expect(try events(renew("tablet")) == ["device.renewed"])
        #expect(try events(addNew("tablet")).isEmpty)
        #expect(try events(request(RevokeDevice(device: "tablet"), from: phone)) == ["device.revoked"])
        #expect(try events(addNew("tablet")) == ["device.added"])
    }

    @Test("a device that is there is not added as a new one, and keeps its token: renewing it makes another")
    func thereAlready() throws {
        func token() throws -> UUIDValue? { try test.store.read { try $0.devices.device(phone)?.tokenID } }
        let before = try token()
        let refused = try #require(try outgoing([addNew("phone")]).replies.first)
        #expect(
            refused.code == "conflict" && refused.message?.contains("parley device renew-token alice phone") == true)
        #expect(try before == token())
        #expect(try outgoing([renew("phone")]).replies.first?.isOK == true)
        #expect(try before != token())
        #expect(try outgoing([renew("nothing")]).replies.first?.code == "not_found")
        #expect(
            try outgoing([request(RevokeDevice(device: "phone"), from: phone), renew("phone")]).replies.last?.code
                == "not_found")
    }

    @Test("a name is given with a device, is kept when its token is made anew, and goes with the device")
    func nameGoesWithTheDevice() throws {
        _ = outgoing([try add("tablet", name: "Küche")])
        #expect(try listed("tablet")?.name == "Küche" && listed("phone")?.name == nil)
        for request in [try add("tablet"), try renew("tablet")] {
            _ = outgoing([request])
            #expect(try listed("tablet")?.name == "Küche")
        }
        _ = outgoing([try add("tablet", name: "Bad")])
        #expect(try listed("tablet")?.name == "Bad")
        _ = outgoing([try request(RevokeDevice(device: "tablet"), from: phone), try add("tablet")])
        #expect(try listed("tablet") != nil && listed("tablet")?.name == nil)
    }

    @Test("a device was seen when it asked, to within some minutes and in the transactions of requests")
    func seenWhenItAsked() throws {
        let revoked = device("alice", "laptop")
        _ = outgoing([try request(RenewDevice(device: nil), from: phone)], now: at(5))
        #expect(try listed("phone")?.lastSeen == at(5) && listed("laptop")?.lastSeen == nil)
        _ = outgoing([try request(RenewDevice(device: nil), from: phone)], now: at(6))
        #expect(try listed("phone")?.lastSeen == at(5))
        let later = DeviceActivity.precision + .milliseconds(5)
        _ = outgoing([try request(RenewDevice(device: nil), from: phone)], now: at(later))
        #expect(try listed("phone")?.lastSeen == at(later))
        // Reads write nothing, and are noted with whatever is written next.
        test.writer.lastSeen.record(revoked, now: at(later + .milliseconds(1)))
        #expect(!test.writer.isDue(LastSeenDuty.self, now: at(later + .milliseconds(2))))
        #expect(test.writer.isDue(LastSeenDuty.self, now: at(later + .milliseconds(1) + DeviceActivity.patience)))
        _ = outgoing([], now: at(later + .milliseconds(1) + DeviceActivity.patience))
        #expect(try listed("laptop")?.lastSeen == at(later + .milliseconds(1)))
        // Who was refused was not seen: nobody signs in under that name.
        let refused = outgoing([try request(RenewDevice(device: nil), from: device("alice", "stranger"))])
        #expect(try refused.replies.first?.code == "unauthenticated")
        #expect(!test.writer.isDue(LastSeenDuty.self, now: at(later + DeviceActivity.patience * 2)))
    }

    @Test("what could not be written of it is written later")
    func unwrittenIsWrittenLater() throws {
        try test.execute(
            "CREATE TRIGGER poison BEFORE UPDATE OF last_seen ON devices BEGIN SELECT RAISE(ABORT, 'poisoned'); END")
        let refused = outgoing([try request(RenewDevice(device: nil), from: phone)])
        #expect(try refused.replies.first?.code == "internal")
        try test.execute("DROP TRIGGER poison")
        _ = outgoing([], now: at(9))
        #expect(try listed("phone")?.lastSeen == at(0))
    }

    @Test("a device that takes the name of one that ends in the same batch was never seen")
    func reusedNameWasNeverSeen() throws {
        let phone = device("alice", "phone")
        test.writer.lastSeen.record(phone, now: at(1))
        let named = #"{"user_id":"alice","device_id":"phone"}"#
        let console = device("operator", "console")
        let replies = test.carryOut(
            [
                try request(RevokeUserDevice.self, named, from: console),
                try request(AddDevice.self, named, from: console),
            ], now: at(2)
        ).effects.outgoing
        #expect(try replies.replies.map(\.isOK) == [true, true])
        #expect(try test.text("SELECT count(*) FROM devices WHERE id = 'phone' AND last_seen IS NOT NULL") == "0")
    }
}
