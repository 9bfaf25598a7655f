import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Rules of accounts")
struct AccountRuleTests {
    @Test(
        "who may register is a setting, and an id is given once",
        arguments: [
            (.open, false, "dave", false, nil), (.open, false, "dave", true, .conflict),
            (.open, false, "web", false, .conflict), (.open, false, "operator", false, .conflict),
            (.invited, true, "dave", false, nil), (.invited, false, "dave", false, .inviteInvalid),
            (.invited, false, "dave", true, .inviteInvalid), (.closed, true, "dave", false, .forbidden),
            (.closed, true, "dave", true, .forbidden),
        ] as [(Registration, Bool, UserID, Bool, ErrorCode?)])
    func registration(_ registration: Registration, hasInvite: Bool, user: UserID, isTaken: Bool, code: ErrorCode?) {
        var found: ErrorCode?
        do {
            try RegistrationRule.check(registration, hasInvite: { hasInvite }, user: user, isTaken: isTaken)
        } catch {
            found = (error as? Rejection)?.code
        }
        #expect(found == code)
    }

    private func code(_ digits: String) throws -> AccountCode { try #require(AccountCode(digits)) }

    @Test("a code is found among the live ones, unless it was tried too often")
    func codes() throws {
        let sent = try [(code: code("12345678"), attempts: 0), (code: code("00000001"), attempts: 4)]
        #expect(AccountCodeRule.find(try code("00000001"), in: sent) == 1)
        #expect(AccountCodeRule.find(try code("12345678"), in: sent) == 0)
        #expect(AccountCodeRule.find(try code("12345679"), in: sent) == nil)
        #expect(AccountCodeRule.find(try code("12345678"), in: []) == nil)
        #expect(AccountCodeRule.find(try code("00000001"), in: [(code: try code("00000001"), attempts: 5)]) == nil)
    }

    @Test("a password is asked for where there is one")
    func passwords() {
        func refusal(_ proof: AccountRule.Proof, _ hasPassword: Bool) -> ErrorCode? {
            rejection { try AccountRule.checkPassword(proof, hasPassword: hasPassword) }?.code
        }
        for proof in [AccountRule.Proof.right, .wrong, .missing] { #expect(refusal(proof, false) == nil) }
        #expect(refusal(.right, true) == nil)
        #expect(refusal(.wrong, true) == .forbidden && refusal(.missing, true) == .forbidden)
    }

    @Test("the last way to sign in stays, and one that there is not is no error")
    func unlinking() throws {
        #expect(try AccountRule.unlink("google", from: [.email, "google"]))
        #expect(try !AccountRule.unlink("google", from: [.email]))
        #expect(rejection { _ = try AccountRule.unlink(.email, from: [.email]) }?.code == .conflict)
    }

    @Test("an identity is one user's, an account its own user's, and a password an address's")
    func owners() throws {
        try AccountRule.link(ownedBy: nil, by: "alice", replaces: false)
        try AccountRule.link(ownedBy: "alice", by: "alice", replaces: false)
        #expect(rejection { try AccountRule.link(ownedBy: "bob", by: "alice", replaces: false) }?.code == .conflict)
        #expect(rejection { try AccountRule.link(ownedBy: nil, by: "alice", replaces: true) }?.code == .conflict)
        try AccountRule.delete("alice", by: "alice")
        #expect(rejection { try AccountRule.delete("bob", by: "alice") }?.code == .forbidden)
        try AccountRule.checkEmail(["apple", .email])
        #expect(rejection { try AccountRule.checkEmail(["apple"]) }?.code == .conflict)
    }

    @Test("one device more than the most is refused, one that is there is not")
    func devices() throws {
        let most = AccountRule.mostDevices
        try AccountRule.checkDevices(most - 1, isNew: true)
        try AccountRule.checkDevices(most, isNew: false)
        #expect(rejection { try AccountRule.checkDevices(most, isNew: true) }?.code == .forbidden)
    }
}
