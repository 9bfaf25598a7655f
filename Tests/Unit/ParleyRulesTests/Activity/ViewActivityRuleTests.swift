import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Who sees what a user has achieved")
struct ViewActivityRuleTests {
    @Test("friends do, strangers do not, and of nobody there is nothing")
    func friends() {
        typealias Side = Contact.Side
        func code(_ contact: Contact?, isMember: Bool = true) -> ErrorCode? {
            rejection { try ViewActivityRule.check(isMember: isMember, contact) }?.code
        }
        #expect(code(Contact("alice", Side(follows: true), "bob", Side(follows: true))) == nil)
        for (alice, bob) in [(false, false), (true, false), (false, true)] {
            #expect(code(Contact("alice", Side(follows: alice), "bob", Side(follows: bob))) == .forbidden)
        }
        // An operator has nothing with anybody.
        #expect(code(nil) == .forbidden && code(nil, isMember: false) == .notFound)
    }
}
