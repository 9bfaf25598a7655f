import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Which tokens a device gets")
struct DeviceTokenRuleTests {
    @Test("a device renews its own token, named or not, and no other")
    func ownToken() {
        func code(_ device: DeviceID?) -> ErrorCode? {
            rejection { try DeviceTokenRule.checkRenewal(of: device, by: "phone") }?.code
        }
        #expect(code(nil) == nil && code("phone") == nil && code("tablet") == .forbidden)
    }

    @Test(
        "the same request is a repeat for less than a minute, whichever way the clock goes",
        arguments: [(0, true), (59_999, true), (60_000, false), (-59_999, true), (-60_000, false)])
    func repeats(_ milliseconds: Int64, _ isRepeat: Bool) {
        #expect(DeviceTokenRule.isRepeat(at: at(milliseconds), of: at(0)) == isRepeat)
    }

    @Test("the old token ends after a day, and not after its own time or that of the new one")
    func previousToken() {
        let day: Int64 = 86_400_000
        func end(_ old: Int64, _ new: Int64) -> Timestamp {
            DeviceTokenRule.previousEnd(old: at(old), new: at(new), now: at(0))
        }
        #expect(end(2 * day, 3 * day) == at(day) && end(5, 3 * day) == at(5) && end(2 * day, 7) == at(7))
    }
}
