import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Users as operators see and manage them", .onEveryStore)
final class UserDetailTests: ConversationSuite {
    private let phone = device("alice", "phone")

    override init() throws {
        try super.init()
        try store.write { [phone] transaction in
            try transaction.users.insert("operator", role: .operator, displayName: "Operator", at: at(0))
            for address in [phone, device("bob", "phone")] {
                try transaction.devices.put(address, tokenID: .random(), now: at(1), expiresAt: at(1000))
            }
        }
    }

    private func register(_ address: DeviceAddress) throws {
        try store.write { transaction in
            _ = try transaction.pushRegistrations.put(
                PushRegistration(device: address, number: 1, target: .fcm(token: "a"), registeredAt: at(0)),
                address: [UInt8](repeating: 1, count: 16), formerAddress: [UInt8](repeating: 2, count: 16))
        }
    }

    @Test("of a disabled user no device signs in and none is told of by push; enabled, all is as before")
    func disabled() throws {
        try register(phone)
        func seen() throws -> (DeviceState?, Set<DeviceAddress>, Int) {
            try store.read { snapshot throws in
                var all: Set<DeviceAddress> = []
                try snapshot.devices.readAll { all.insert($0.address) }
                let registrations = try snapshot.pushRegistrations.registrations(of: ["alice", "bob"] as [UserID])
                return (try snapshot.devices.device(phone), all, registrations["alice"]?.count ?? 0)
            }
        }
        let before = try seen()
        #expect(before.0 != nil && before.1 == [phone, device("bob", "phone")] && before.2 == 1)
        try store.write { try $0.users.setDisabled("alice", at: at(5)) }
        let after = try seen()
        #expect(after.0 == nil && after.1 == [device("bob", "phone")] && after.2 == 0)
        try store.read { snapshot throws in
            #expect(try snapshot.userDetails.standing(of: "alice") == .disabled)
            #expect(try snapshot.devices.isLive(phone) && snapshot.devices.summaries(of: "alice").count == 1)
            #expect(try snapshot.users.summary("alice")?.isDisabled == true)
            #expect(try snapshot.userDetails.details(of: "alice")?.disabledAt == at(5))
        }
        try store.write { try $0.users.setDisabled("alice", at: nil) }
        let again = try seen()
        #expect(again.0 == before.0 && again.1 == before.1 && again.2 == 1)
        #expect(try store.read { try $0.userDetails.standing(of: "alice") } == .enabled)
    }

    @Test("a user's privacy, devices, groups and counts are shown; nobody and the gateway's own have none")
    func details() throws {
        try store.write { transaction in
            _ = try transaction.insertConversation(["alice", "carol", "dave"])
        }
        try store.execute("INSERT INTO follows VALUES ('bob', 'alice', 0)")
        try store.read { snapshot throws in
            let details = try #require(try snapshot.userDetails.details(of: "alice"))
            #expect(details.user == "alice" && details.disabledAt == nil && details.signsInBy.isEmpty)
            #expect(details.privacy.messagePrivacy == .followers && details.devices.map(\.device) == ["phone"])
            #expect(details.groups.count == 1 && details.groups.first?.group == nil)
            #expect(
                details.counts
                    == UserCounts(conversations: 2, groups: 1, followers: 1, following: 0, blobs: 0, blobBytes: 0))
            #expect(try snapshot.userDetails.details(of: "operator") == nil)
            #expect(try snapshot.userDetails.standing(of: "operator") == .reserved)
            #expect(try snapshot.userDetails.standing(of: "nobody") == nil)
        }
        try store.write { try $0.accountRemovals.begin(phone) }
        #expect(try store.read { try $0.userDetails.standing(of: "alice") } == .departed)
    }
}
