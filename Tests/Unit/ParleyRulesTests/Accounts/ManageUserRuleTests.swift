import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("What operators do with users")
struct ManageUserRuleTests {
    @Test("a command changes a member once, and a repeat nothing")
    func repeats() throws {
        #expect(try ManageUserRule.disables(.enabled) && !ManageUserRule.disables(.disabled))
        #expect(try ManageUserRule.enables(.disabled) && !ManageUserRule.enables(.enabled))
        #expect(try ManageUserRule.removes(.enabled) && ManageUserRule.removes(.disabled))
        #expect(try !ManageUserRule.removes(.departed))
    }

    @Test("nobody, the gateway's own users and those who have gone are refused")
    func refusals() {
        for (standing, code) in [
            (nil, ErrorCode.notFound), (.reserved, .forbidden), (.departed, .notFound),
        ] as [(UserStanding?, ErrorCode)] {
            #expect(rejection { _ = try ManageUserRule.disables(standing) }?.code == code)
            #expect(rejection { _ = try ManageUserRule.enables(standing) }?.code == code)
            #expect(rejection { try ManageUserRule.checkMember(standing) }?.code == code)
            let removal = rejection { _ = try ManageUserRule.removes(standing) }?.code
            #expect(removal == (standing == .departed ? nil : code))
        }
    }

    @Test("a member is erased with their account, one who has gone later, and nobody twice")
    func erasure() throws {
        #expect(try ManageUserRule.erases(.enabled, isErased: false) == .ofMember)
        #expect(try ManageUserRule.erases(.disabled, isErased: false) == .ofMember)
        #expect(try ManageUserRule.erases(.departed, isErased: false) == .ofDeparted)
        #expect(try ManageUserRule.erases(.departed, isErased: true) == .repeated)
        #expect(rejection { try ManageUserRule.erases(.reserved, isErased: false) }?.code == .forbidden)
        #expect(rejection { try ManageUserRule.checkKnown(.departed) } == nil)
        #expect(rejection { try ManageUserRule.checkKnown(nil) } == .userNotFound)
    }

    @Test("what is older than a conversation's own time, or else the gateway's, is kept no longer; 0 is for ever")
    func retention() {
        #expect(RetentionRule.days(own: nil, general: 30) == 30 && RetentionRule.days(own: 0, general: 30) == 0)
        #expect(RetentionRule.end(ofDays: 0, now: at(0)) == nil)
        #expect(RetentionRule.end(ofDays: 2, now: at(.days(3))) == at(.days(1)))
    }

    @Test("no token is made for a disabled user")
    func noToken() {
        #expect(rejection { try ManageUserRule.checkEnabled(.disabled, "bob") }?.code == .forbidden)
        #expect(rejection { try ManageUserRule.checkEnabled(.enabled, "bob") } == nil)
    }

    @Test("a device that is there is not added, and one that is not there gets no token anew")
    func devices() {
        let phone = device("alice", "phone")
        let added = rejection { try DeviceTokenRule.checkAddition(of: phone, isLive: true) }
        #expect(added?.code == .conflict && added?.message.contains("alice/phone is there") == true)
        #expect(rejection { try DeviceTokenRule.checkAddition(of: phone, isLive: false) } == nil)
        #expect(rejection { try DeviceTokenRule.checkAnew(isLive: false) } == .deviceNotFound)
        #expect(rejection { try DeviceTokenRule.checkAnew(isLive: true) } == nil)
    }
}
