import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Who may ask for what")
struct AuthorizeRuleTests {
    @Test(
        "operators and doors alone have their operations, a door no others, and a revoked device none",
        arguments: [
            (.everyone, .device, nil), (.everyone, .operator, nil), (.everyone, .door, .forbidden),
            (.operators, .device, .forbidden), (.operators, .operator, nil), (.operators, .door, .forbidden),
            (.doors, .device, .forbidden), (.doors, .operator, .forbidden), (.doors, .door, nil),
            (.doorsAlone, .device, .forbidden), (.doorsAlone, .operator, .forbidden), (.doorsAlone, .door, nil),
            (.everyone, nil, .unauthenticated), (.doorsAlone, nil, .unauthenticated),
            (.operators, nil, .unauthenticated), (.doors, nil, .unauthenticated),
        ] as [(Askers, DeviceRole?, ErrorCode?)])
    func askers(askers: Askers, role: DeviceRole?, code: ErrorCode?) {
        let refusal = rejection { try AuthorizeRule.check(askers, role: role) }
        #expect(refusal?.code == code)
    }

    @Test("an operator is told why they may not ask for what is for people alone")
    func people() throws {
        let refusal = #expect(throws: Rejection.self) {
            try AuthorizeRule.check(refusalOfOperators: "An operator has no conversations.") { false }
        }
        #expect(refusal == Rejection(.forbidden, "An operator has no conversations."))
        try AuthorizeRule.check(refusalOfOperators: "An operator has no conversations.") { true }
        try AuthorizeRule.check(refusalOfOperators: nil) {
            Issue.record("asked for nothing")
            return false
        }
    }

    @Test("a request repeats the one that has used its id only where it is the same")
    func repeats() {
        func refusal(of first: [UInt8]?) -> Rejection? {
            rejection { try RepeatRule.check([1, 2], of: first) }
        }
        #expect(refusal(of: [1, 2]) == nil)
        #expect(refusal(of: [1, 3]) == .idTaken && refusal(of: nil) == .idTaken)
    }
}
