import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Which devices are revoked")
struct RevokeDeviceRuleTests {
    private static let phone = DeviceAddress(user: "alice", device: "phone")
    private static let tablet = DeviceAddress(user: "alice", device: "tablet")
    private static let issued = [DeviceAddress(user: "bob", device: "phone")]

    private func decide(
        by caller: RevokeDeviceRule.Caller?, isLive: Bool = true, wasMade: Bool = true, issued: [DeviceAddress] = []
    ) throws(Rejection) -> [DeviceAddress] {
        try RevokeDeviceRule.decide(Self.tablet, by: caller, wasMade: wasMade, isLive: isLive, issued: issued)
    }

    @Test("the device ends with those that it has made, and what is revoked is not revoked again")
    func ended() throws {
        #expect(try decide(by: nil) == [Self.tablet])
        #expect(try decide(by: nil, issued: Self.issued) == [Self.tablet] + Self.issued)
        #expect(try decide(by: nil, isLive: false, issued: Self.issued) == Self.issued)
        #expect(try decide(by: nil, isLive: false).isEmpty)
        #expect(rejection { try decide(by: nil, isLive: false, wasMade: false) } == .deviceNotFound)
    }

    @Test("where there is an account key, only a device that it has certified revokes another one")
    func certified() {
        func code(
            _ address: DeviceAddress, hasKey: Bool, isCertified: Bool, isLive: Bool = true
        ) -> ErrorCode? {
            let caller = RevokeDeviceRule.Caller(address, hasAccountKey: hasKey, isCertified: isCertified)
            return rejection { try decide(by: caller, isLive: isLive) }?.code
        }
        #expect(code(Self.phone, hasKey: true, isCertified: false) == .forbidden)
        #expect(code(Self.phone, hasKey: true, isCertified: true) == nil)
        #expect(code(Self.phone, hasKey: false, isCertified: false) == nil)
        #expect(code(Self.tablet, hasKey: true, isCertified: false) == nil)
        #expect(code(Self.phone, hasKey: true, isCertified: false, isLive: false) == nil)
    }
}

@Suite("Which users are added")
struct AddUserRuleTests {
    @Test("a user is added once, and never under the id of an operator, with another name or another privacy")
    func once() throws {
        let bob = UserSummary(user: "bob", displayName: "Bob", createdAt: at(0), devices: [])
        func decide(
            _ name: String?, _ existing: UserSummary?, wanting wanted: MessagePrivacy? = nil,
            has privacy: MessagePrivacy? = .followers
        ) throws(Rejection) -> AddUserRule.Decision {
            let request = AddUser(user: "bob", displayName: name, messagePrivacy: wanted)
            return try AddUserRule.decide(request, existing: existing, privacy: privacy)
        }
        #expect(try decide("Bob", nil, has: nil) == .insert(displayName: "Bob"))
        #expect(try decide(nil, nil, wanting: .anyone, has: nil) == .insert(displayName: "bob"))
        #expect(try decide("Bob", bob) == .repeated(bob) && decide(nil, bob) == .repeated(bob))
        #expect(try decide(nil, bob, wanting: .anyone, has: .anyone) == .repeated(bob))
        #expect(try decide(nil, bob, has: .anyone) == .repeated(bob))
        #expect(rejection { try decide("Robert", bob) }?.code == .conflict)
        #expect(rejection { try decide(nil, bob, wanting: .anyone) }?.code == .conflict)
        #expect(rejection { try decide("Bob", bob, has: nil) }?.code == .conflict)
    }
}
