import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Registering with an email address")
struct RegistrationTests {
    private let world: AccountWorld

    init() throws { world = try AccountWorld() }

    private func text(_ query: String) throws -> String? { try world.test.text(query) }

    @Test("the code that was mailed makes the account and signs in its first device")
    func verified() throws {
        #expect(try world.register("Dave@Example.com", as: "dave").isOK == true)
        #expect(try text("SELECT count(*) FROM users WHERE id = 'dave'") == "0")
        let mail = try #require(try world.mails().first)
        #expect(mail.to == "Dave@Example.com")
        let signedIn: SignedIn = try world.verify("dave@example.com", try world.lastCode()).value()
        #expect(signedIn.address.user == "dave" && signedIn.credentials.username == "dave")
        let bytes = Array(signedIn.credentials.password.utf8)
        let parsed = AccessToken(parsing: bytes.span)
        let token = try #require(parsed)
        #expect(token.claims.role == .device && token.claims.address == signedIn.address)
        let account = try world.account(of: "dave")
        #expect(account == AccountState(user: "dave", email: "Dave@Example.com", hasPassword: true, providers: []))
        #expect(try text("SELECT count(*) FROM account_codes") == "0")
        // The password is that of the registration.
        #expect(try world.signIn("DAVE@example.com").isOK == true)
    }

    @Test("a known and an unknown address get the same reply, and as many rows; the known one gets a mail that says so")
    func sameReply() throws {
        try world.makeAccount("dave@example.com", "dave")
        let known = try world.register("dave@example.com", as: "dora")
        let unknown = try world.register("erin@example.com", as: "erin")
        #expect(String(decoding: known.payload, as: UTF8.self) == String(decoding: unknown.payload, as: UTF8.self))
        let mails = try world.mails()
        #expect(mails.map(\.to) == ["dave@example.com", "erin@example.com"])
        #expect(mails[0].code == nil && mails[1].code != nil)
        #expect(try text("SELECT kind FROM mails ORDER BY key LIMIT 1") == "registered")
    }

    @Test("a repeated registration sends one mail, and another one under its id is refused")
    func repeated() throws {
        let id = AccountRequestID.random()
        for _ in 0..<3 { #expect(try world.register("dave@example.com", as: "dave", id: id).isOK == true) }
        #expect(try world.mails().count == 1)
        #expect(try text("SELECT count(*) FROM account_codes") == "1")
        #expect(try world.register("dave@example.com", as: "dora", id: id).code == "conflict")
    }

    @Test("a repeated verification gets the same token, and makes no second device")
    func verifiedTwice() throws {
        _ = try world.register("dave@example.com", as: "dave")
        let (id, code) = (AccountRequestID.random(), try world.lastCode())
        let first: SignedIn = try world.verify("dave@example.com", code, id: id).value()
        let second: SignedIn = try world.verify("dave@example.com", code, id: id, now: at(9000)).value()
        #expect(first == second)
        #expect(try text("SELECT count(*) FROM devices WHERE user = 'dave'") == "1")
        #expect(try world.verify("dave@example.com", code).code == "unauthenticated")
    }

    @Test("an id that is taken is refused, whatever the address", arguments: ["alice", "web", "operator", "gateway"])
    func taken(user: UserID) throws {
        try world.makeAccount("dave@example.com", "dave")
        #expect(try world.register("erin@example.com", as: user).code == "conflict")
        #expect(try world.register("dave@example.com", as: user).code == "conflict")
    }

    @Test("an id that another takes before the code comes back is refused then, and the code stays")
    func takenMeanwhile() throws {
        _ = try world.register("dave@example.com", as: "dave")
        let code = try world.lastCode()
        try world.test.addPeople(["dave"])
        #expect(try world.verify("dave@example.com", code).code == "conflict")
    }

    @Test("after five wrong codes the right one opens nothing, and a repeat of a wrong one counts once")
    func wrongCodes() throws {
        _ = try world.register("dave@example.com", as: "dave")
        let code = try world.lastCode()
        let wrong = try #require(AccountCode(code.digits == "00000000" ? "00000001" : "00000000"))
        let id = AccountRequestID.random()
        for _ in 0..<3 { #expect(try world.verify("dave@example.com", wrong, id: id).code == "unauthenticated") }
        #expect(try text("SELECT attempts FROM account_codes") == "1")
        for _ in 1..<5 { #expect(try world.verify("dave@example.com", wrong).code == "unauthenticated") }
        #expect(try world.verify("dave@example.com", code).code == "unauthenticated")
        #expect(try text("SELECT count(*) FROM users WHERE id = 'dave'") == "0")
    }

    @Test("a code counts for fifteen minutes, and is removed afterwards")
    func expiry() throws {
        _ = try world.register("dave@example.com", as: "dave")
        let code = try world.lastCode()
        let end = at(.seconds(900))
        #expect(try world.verify("dave@example.com", code, now: end).code == "unauthenticated")
        world.test.writer.run(AccountExpiryDuty.self, now: end)
        #expect(try text("SELECT count(*) FROM account_codes") == "0")
        #expect(try text("SELECT count(*) FROM mails") == "0")
    }

    @Test("two registrations of one address have two codes, each for its own user id and password")
    func twoRegistrations() throws {
        _ = try world.register("dave@example.com", as: "mallory", password: "of mallory")
        _ = try world.register("dave@example.com", as: "dave")
        let codes = try world.mails().compactMap { $0.code.flatMap { AccountCode($0) } }
        let signedIn: SignedIn = try world.verify("dave@example.com", codes[1]).value()
        #expect(signedIn.address.user == "dave")
        #expect(try world.verify("dave@example.com", codes[0]).code == "unauthenticated")
        #expect(try world.signIn("dave@example.com", "of mallory").code == "unauthenticated")
    }

    @Test("a code that somebody else's registration has sent opens nothing to whoever reads it, and theirs is not lost")
    func registeredByAnother() throws {
        for _ in 0..<4 { _ = try world.register("dave@example.com", as: "dave", password: "of mallory") }
        _ = try world.register("dave@example.com", as: "dave")
        let codes = try world.mails().compactMap { $0.code.flatMap { AccountCode($0) } }
        #expect(codes.count == 5)
        // However often: that is no guess, and voids nothing.
        for _ in 0..<6 { #expect(try world.verify("dave@example.com", codes[0]).code == "unauthenticated") }
        #expect(try text("SELECT count(*) FROM users WHERE id = 'dave'") == "0")
        #expect(try world.verify("dave@example.com", codes[4]).isOK == true)
    }

    @Test("an invite that ends before the code comes back makes no account")
    func endedInvite() throws {
        let world = try AccountWorld { $0.registration = Registration.invited.rawValue }
        try world.test.group(["alice", "bob"], id: CommandExample.trainees)
        let invite = try world.ask(CreateInvite(group: CommandExample.trainees), by: device("alice", "phone"))
        let token = try #require((invite.data["token"] as? String).flatMap { InviteToken($0) })
        #expect(try world.register("dave@example.com", as: "dave", invite: token).isOK == true)
        try world.test.execute("UPDATE invites SET is_revoked = 1")
        #expect(try world.verify("dave@example.com", try world.lastCode()).code == "invite_invalid")
    }

    @Test("the setting says who may register: nobody, those with a good invite, everybody")
    func setting() throws {
        for (registration, code) in [(Registration.closed, "forbidden"), (.invited, "invite_invalid"), (.open, nil)] {
            let world = try AccountWorld { $0.registration = registration.rawValue }
            #expect(try world.register("dave@example.com", as: "dave").code == code)
            #expect(try world.mails().count == (code == nil ? 1 : 0))
        }
        let world = try AccountWorld { $0.registration = Registration.invited.rawValue }
        try world.test.group(["alice", "bob"], id: CommandExample.trainees)
        let invite = try world.ask(CreateInvite(group: CommandExample.trainees), by: device("alice", "phone"))
        let token = try #require((invite.data["token"] as? String).flatMap { InviteToken($0) })
        #expect(try world.register("dave@example.com", as: "dave", invite: token).isOK == true)
        try world.test.execute("UPDATE invites SET is_revoked = 1")
        #expect(try world.register("erin@example.com", as: "erin", invite: token).code == "invite_invalid")
    }

    @Test("a network and an address are limited apart; what is over a limit is told when to come again")
    func limits() throws {
        let world = try AccountWorld {
            $0.registrationsPerNetwork = 3
            $0.accountMailsPerAccount = 2
        }
        #expect(try world.register("dave@example.com", as: "dave").isOK == true)
        #expect(try world.register("dave@example.com", as: "dave").isOK == true)
        #expect(try world.register("Dave@example.com", as: "dave").code == "rate_limited")
        let refused = try world.register("erin@example.com", as: "erin")
        #expect(refused.code == "rate_limited")
        #expect(try #require(refused.retryAfter) > 0)
    }
}
