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
            (.open, false, "gateway", false, .conflict), (.invited, true, "dave", false, nil),
            (.invited, false, "dave", false, .inviteInvalid), (.invited, false, "dave", true, .inviteInvalid),
            (.closed, true, "dave", false, .forbidden), (.closed, true, "dave", true, .forbidden),
        ] as [(Registration, Bool, UserID, Bool, ErrorCode?)])
    func registration(_ registration: Registration, hasInvite: Bool, user: UserID, isTaken: Bool, code: ErrorCode?) {
        var found: ErrorCode?
        do {
            try RegistrationRule.decide(registration, hasInvite: { hasInvite }, user: user, isTaken: isTaken)
        } catch {
            found = (error as? Rejection)?.code
        }
        #expect(found == code)
    }

    @Test(
        "a registration is opened by its own code and password, while nobody has the address",
        arguments: [
            (true, nil, true, .open), (true, nil, false, .otherPassword), (true, "dave", true, .wrongCode),
            (false, nil, true, .wrongCode), (false, nil, false, .wrongCode),
        ] as [(Bool, UserID?, Bool, VerifyRegistrationRule.Decision)])
    func verification(isCode: Bool, owner: UserID?, isPassword: Bool, decision: VerifyRegistrationRule.Decision) {
        #expect(VerifyRegistrationRule.decide(isCode: isCode, owner: owner, isPassword: isPassword) == decision)
    }

    // MARK: Codes

    private func code(_ digits: String) throws -> AccountCode { try #require(AccountCode(digits)) }

    /// Codes with their users, `nil` for a registration, and their wrong attempts.
    private func sent(_ codes: (UserID?, Int)...) -> [AccountCodeRule.Sent] {
        codes.map { AccountCodeRule.Sent(for: $0.0, attempts: $0.1) }
    }

    @Test("a code is found among the live ones, unless it was tried too often")
    func codes() throws {
        let (fresh, tried, void) = (sent((nil, 0))[0], sent((nil, 4))[0], sent((nil, 5))[0])
        let codes = try [(code: code("12345678"), sent: fresh), (code: code("00000001"), sent: tried)]
        #expect(AccountCodeRule.find(try code("00000001"), in: codes) == 1)
        #expect(AccountCodeRule.find(try code("12345678"), in: codes) == 0)
        #expect(AccountCodeRule.find(try code("12345679"), in: codes) == nil)
        #expect(AccountCodeRule.find(try code("12345678"), in: []) == nil)
        #expect(AccountCodeRule.find(try code("00000001"), in: [(code: try code("00000001"), sent: void)]) == nil)
    }

    @Test("a user gets a new code until the address has three, and then their own newest once more")
    func mails() {
        #expect(AccountCodeRule.decide(for: "dave", sent: []) == .new)
        #expect(AccountCodeRule.decide(for: "dave", sent: sent(("dave", 0), ("dave", 0), ("dave", 5))) == .new)
        #expect(AccountCodeRule.decide(for: "dave", sent: sent(("bob", 0), ("dave", 0), ("dave", 4))) == .again(1))
        #expect(AccountCodeRule.decide(for: "dave", sent: sent(("bob", 0), ("bob", 0), ("bob", 0))) == .none)
        #expect(
            AccountCodeRule.decide(for: "dave", sent: sent(("dave", 5), ("bob", 0), ("dave", 0), ("bob", 0)))
                == .again(2))
    }

    @Test("a code is asked for by the user of an address, or for the newest registration of it")
    func sending() {
        #expect(SendCodeRule.decide(owner: "dave", registrations: sent((nil, 0))) == .reset("dave"))
        #expect(SendCodeRule.decide(owner: nil, registrations: sent((nil, 5), (nil, 4), (nil, 0))) == .again(1))
        #expect(SendCodeRule.decide(owner: nil, registrations: sent((nil, 5), (nil, 6))) == .renew(0))
        #expect(SendCodeRule.decide(owner: nil, registrations: []) == .nothing)
    }

    @Test("a wrong code signs no device out that is signed in")
    func refusals() {
        #expect(AccountRefusalRule.decide(.codeInvalid, askers: .doors).code == .unauthenticated)
        let own = AccountRefusalRule.decide(.codeInvalid, askers: .everyone)
        #expect(own.code == .forbidden && own.message == Rejection.codeInvalid.message)
        #expect(AccountRefusalRule.decide(.unavailable, askers: .everyone).code == .unavailable)
    }

    @Test(
        "a password is set by a code of the user of the address",
        arguments: [
            ("dave", "dave", "dave"), ("dave", "bob", nil), ("dave", nil, nil), (nil, "dave", nil), (nil, nil, nil),
        ] as [(UserID?, UserID?, UserID?)])
    func resets(codeUser: UserID?, owner: UserID?, user: UserID?) {
        #expect(ResetPasswordRule.decide(codeUser: codeUser, owner: owner) == user)
    }

    @Test(
        "an address is linked by a code of the caller's own, to an address of nobody else",
        arguments: [
            ("alice", nil, false, .link(setsPassword: true)), ("alice", "alice", true, .link(setsPassword: false)),
            ("alice", "bob", false, .wrongCode), ("bob", nil, false, .wrongCode), (nil, nil, false, .wrongCode),
        ] as [(UserID?, UserID?, Bool, ConfirmEmailRule.Decision)])
    func confirmation(codeUser: UserID?, owner: UserID?, hasPassword: Bool, decision: ConfirmEmailRule.Decision) {
        let facts = ConfirmEmailRule.Facts(codeUser: codeUser, owner: owner, hasPassword: hasPassword)
        #expect(ConfirmEmailRule.decide(facts, by: "alice") == decision)
    }

    // MARK: Signing in

    @Test(
        "a password signs in the user of the address, unless one of them has changed meanwhile",
        arguments: [
            ("dave", "dave", true, "dave"), (nil, "dave", true, nil), (nil, nil, true, nil), ("dave", "bob", true, nil),
            ("dave", nil, true, nil), ("dave", "dave", false, nil),
        ] as [(UserID?, UserID?, Bool, UserID?)])
    func signIn(verified: UserID?, owner: UserID?, isCurrent: Bool, user: UserID?) {
        let facts = SignInRule.Facts(verified: verified, owner: owner, isCurrent: isCurrent)
        #expect((try? SignInRule.decide(facts)) == user)
        if user == nil { #expect(rejection { _ = try SignInRule.decide(facts) }?.code == .unauthenticated) }
    }

    @Test("an identity signs its user in; one of nobody makes an account, if it is asked for")
    func signInByProvider() throws {
        let new = NewUser(user: "dave")
        #expect(try SignInByProviderRule.decide(owner: "alice", newUser: new) == .signIn("alice"))
        #expect(try SignInByProviderRule.decide(owner: nil, newUser: new) == .register(new))
        #expect(rejection { _ = try SignInByProviderRule.decide(owner: nil, newUser: nil) }?.code == .notFound)
    }

    @Test("one device more than the most is refused, one that is there is not")
    func devices() throws {
        let most = SignInDeviceRule.mostDevices
        try SignInDeviceRule.decide(devices: most - 1, isNew: true)
        try SignInDeviceRule.decide(devices: most, isNew: false)
        #expect(rejection { try SignInDeviceRule.decide(devices: most, isNew: true) }?.code == .forbidden)
    }

    @Test(
        "passwords wait up to a number, of which a site has a part; tokens are counted by themselves",
        arguments: [
            (false, 31, 7, 64, nil), (false, 32, 0, 0, .rateLimited), (false, 8, 8, 0, .rateLimited),
            (true, 32, 8, 63, nil), (true, 0, 0, 64, .rateLimited),
        ] as [(Bool, Int, Int, Int, ErrorCode?)])
    func room(isCheck: Bool, waiting: Int, waitingOfSite: Int, checks: Int, code: ErrorCode?) {
        let refusal = rejection {
            try AccountRoomRule.decide(
                isCheck: isCheck, waiting: waiting, waitingOfSite: waitingOfSite, checks: checks)
        }
        #expect(refusal?.code == code)
    }

    // MARK: Own accounts

    @Test("a password is asked for where there is one, and is the one of now")
    func passwords() {
        func refusal(_ proof: PasswordRule.Proof, isCurrent: Bool = true, hasPassword: Bool) -> ErrorCode? {
            rejection { try PasswordRule.decide(proof, isCurrent: isCurrent, hasPassword: hasPassword) }?.code
        }
        for proof in [PasswordRule.Proof.right, .wrong, .missing] {
            #expect(refusal(proof, isCurrent: false, hasPassword: false) == nil)
        }
        #expect(refusal(.right, hasPassword: true) == nil)
        #expect(refusal(.right, isCurrent: false, hasPassword: true) == .forbidden)
        #expect(refusal(.wrong, hasPassword: true) == .forbidden)
        #expect(refusal(.missing, hasPassword: true) == .forbidden)
    }

    @Test("the last way to sign in stays, and one that there is not is no error")
    func unlinking() throws {
        #expect(try UnlinkIdentityRule.decide("google", from: [.email, "google"]))
        #expect(try !UnlinkIdentityRule.decide("google", from: [.email]))
        #expect(rejection { _ = try UnlinkIdentityRule.decide(.email, from: [.email]) }?.code == .conflict)
    }

    @Test("an identity is one user's, an account its own user's, and a password an address's")
    func owners() throws {
        func refusal(_ owner: UserID?, replaces: Bool) -> ErrorCode? {
            rejection { try LinkIdentityRule.decide(identityOf: owner, by: "alice", replaces: replaces) }?.code
        }
        #expect(refusal(nil, replaces: false) == nil && refusal("alice", replaces: false) == nil)
        #expect(refusal("bob", replaces: false) == .conflict && refusal(nil, replaces: true) == .conflict)
        #expect(LinkIdentityRule.decide(addressOf: nil, by: "alice") == .sendCode)
        #expect(LinkIdentityRule.decide(addressOf: "alice", by: "alice") == .sendCode)
        #expect(LinkIdentityRule.decide(addressOf: "bob", by: "alice") == .tellOwner)
        try DeleteAccountRule.decide("alice", by: "alice")
        #expect(rejection { try DeleteAccountRule.decide("bob", by: "alice") }?.code == .forbidden)
        try SetPasswordRule.decide(ways: ["apple", .email])
        #expect(rejection { try SetPasswordRule.decide(ways: ["apple"]) }?.code == .conflict)
    }
}
