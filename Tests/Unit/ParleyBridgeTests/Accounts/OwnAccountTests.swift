import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("One's own account")
struct OwnAccountTests {
    private let world: AccountWorld
    private let dave: DeviceAddress
    private let alice = device("alice", "phone")

    init() throws {
        world = try AccountWorld()
        dave = try world.makeAccount("dave@example.com", "dave").address
    }

    private func link(
        _ email: String, password: String = "correct horse", by sender: DeviceAddress
    ) throws -> Published {
        try world.ask(
            LinkIdentity(
                id: .random(),
                way: .email(
                    EmailCredentials(
                        email: try AccountWorld.email(email), password: try AccountWorld.password(password)))),
            by: sender)
    }

    private func link(
        identity token: String, password: String? = "correct horse", by sender: DeviceAddress
    ) throws -> Published {
        let link = ProviderLink(
            IdentityProof(provider: "google", token: token),
            current: try password.map { try AccountWorld.password($0) })
        return try world.ask(LinkIdentity(id: .random(), way: .provider(link)), by: sender)
    }

    private func confirm(_ email: String, _ code: AccountCode, by sender: DeviceAddress) throws -> Published {
        try world.ask(
            ConfirmEmail(id: .random(), email: try AccountWorld.email(email), code: code), by: sender)
    }

    @Test("a user whom an operator made links an address, and signs in with it")
    func linksEmail() throws {
        #expect(try link("alice@example.com", by: alice).isOK == true)
        #expect(try world.account(of: "alice").email == nil)
        let code = try world.lastCode()
        // It is hers alone.
        #expect(try confirm("alice@example.com", code, by: dave).code == "forbidden")
        let account: AccountState = try confirm("alice@example.com", code, by: alice).value()
        #expect(account == AccountState(user: "alice", email: "alice@example.com", hasPassword: true, providers: []))
        let signedIn: SignedIn = try world.signIn("alice@example.com").value()
        #expect(signedIn.address.user == "alice")
    }

    @Test("whoever has a password gives it for another address, which takes the place of the first when confirmed")
    func replacesEmail() throws {
        #expect(try link("new@example.com", password: "not the one", by: dave).code == "forbidden")
        #expect(try link("new@example.com", by: dave).isOK == true)
        #expect(try confirm("new@example.com", try world.lastCode(), by: dave).isOK == true)
        #expect(try world.account(of: "dave").email == "new@example.com")
        #expect(try world.signIn("dave@example.com").code == "unauthenticated")
        #expect(try world.signIn("new@example.com").isOK == true)
    }

    @Test("an address of another gets the same reply, and a mail that says so")
    func foreignEmail() throws {
        let (foreign, free) = (try link("dave@example.com", by: alice), try link("free@example.com", by: alice))
        #expect(foreign.payload == free.payload)
        #expect(try world.mails().map(\.to) == ["dave@example.com", "free@example.com"])
        #expect(try world.mails().first.map { $0.code == nil } == true)
    }

    @Test("an identity of a provider is one user's; a bad token leaves the device signed in")
    func linksProvider() throws {
        #expect(try link(identity: "1234", by: alice).isOK == true)
        #expect(try link(identity: "1234", by: alice).isOK == true)
        #expect(try link(identity: "1234", by: dave).code == "conflict")
        #expect(try link(identity: "bad", by: dave).code == "forbidden")
        #expect(try world.account(of: "alice").providers.map(\.provider) == ["google"])
    }

    @Test("a device without the password adds no way to sign in and removes none, and the address is told of both")
    func needsPassword() throws {
        for password in [nil, "wrong"] {
            #expect(try link(identity: "1234", password: password, by: dave).code == "forbidden")
            let given = try password.map { try AccountWorld.password($0) }
            #expect(
                try world.ask(UnlinkIdentity(id: .random(), provider: .email, current: given), by: dave).code
                    == "forbidden")
        }
        #expect(try world.mails().isEmpty)
        #expect(try link(identity: "1234", by: dave).isOK == true)
        #expect(try link(identity: "5678", by: dave).code == "conflict")
        let password = try AccountWorld.password("correct horse")
        let unlinked = try world.ask(
            UnlinkIdentity(id: .random(), provider: .email, current: password), by: dave)
        #expect(unlinked.isOK == true)
        let told = try world.test.store.read { try $0.mails.next(limit: 10) }.map(\.mail.text)
        #expect(told == [.notice(.added), .notice(.replaced)])
    }

    @Test("a new password ends the linking of an address that was begun by the former one")
    func linkBegunBefore() throws {
        #expect(try link("thief@example.com", by: dave).isOK == true)
        let code = try world.lastCode()
        let change = SetPassword(
            id: .random(), current: try AccountWorld.password("correct horse"),
            password: try AccountWorld.password("the next one"))
        #expect(try world.ask(change, by: dave).isOK == true)
        #expect(try confirm("thief@example.com", code, by: dave).code == "forbidden")
        #expect(try world.account(of: "dave").email == "dave@example.com")
    }

    @Test("a device that is not linked signs out no other, where there is an account key")
    func unlinkedDevice() throws {
        let other: SignedIn = try world.signIn("dave@example.com").value()
        try world.test.execute("UPDATE users SET account_key = zeroblob(32) WHERE id = 'dave'")
        #expect(try world.ask(SignOutEverywhere(keepsCaller: true), by: dave).code == "forbidden")
        #expect(try world.test.store.read { try $0.devices.device(other.address) } != nil)
    }

    @Test("the last way to sign in stays; with the address goes the password")
    func unlinks() throws {
        let unlink: (IdentityProviderName) throws -> Published = { provider in
            try world.ask(
                UnlinkIdentity(id: .random(), provider: provider, current: try AccountWorld.password("correct horse")),
                by: dave)
        }
        #expect(try unlink(.email).code == "conflict")
        #expect(try unlink("apple").isOK == true)
        #expect(try link(identity: "1234", by: dave).isOK == true)
        let account: AccountState = try unlink(.email).value()
        #expect(account.email == nil && !account.hasPassword && account.providers.map(\.provider) == ["google"])
        #expect(try unlink("google").code == "conflict")
        #expect(try world.signIn("dave@example.com").code == "unauthenticated")
    }

    @Test("a new password needs the one so far, and an address")
    func setsPassword() throws {
        func set(_ current: String?, by sender: DeviceAddress) throws -> Published {
            try world.ask(
                SetPassword(
                    id: .random(), current: try current.map { try AccountWorld.password($0) },
                    password: try AccountWorld.password("the next one")), by: sender)
        }
        #expect(try set(nil, by: dave).code == "forbidden")
        #expect(try set("wrong", by: dave).code == "forbidden")
        #expect(try set("correct horse", by: dave).isOK == true)
        #expect(try world.signIn("dave@example.com", "the next one").isOK == true)
        #expect(try set(nil, by: alice).code == "conflict")
    }

    @Test("signing out everywhere ends all devices, or all others, and no one else's")
    func signsOut() throws {
        let other: SignedIn = try world.signIn("dave@example.com").value()
        #expect(try world.ask(SignOutEverywhere(keepsCaller: true), by: dave).isOK == true)
        #expect(try world.test.store.read { try $0.devices.device(other.address) } == nil)
        #expect(try world.test.store.read { try $0.devices.device(dave) } != nil)
        #expect(try world.ask(SignOutEverywhere(), by: dave).isOK == true)
        #expect(try world.test.store.read { try $0.devices.device(dave) } == nil)
        #expect(try world.test.store.read { try $0.devices.device(alice) } != nil)
        #expect(try world.ask(SignOutEverywhere(), by: dave).code == "unauthenticated")
    }

    @Test("operators have no account of this kind")
    func operators() throws {
        let console = device("operator", "console")
        let commands: [any Command] = [
            UnlinkIdentity(id: .random(), provider: .email), SignOutEverywhere(),
            DeleteAccount(id: .random(), user: "operator"),
            SetPassword(id: .random(), password: try AccountWorld.password("a password")),
        ]
        for command in commands { #expect(try world.ask(command, by: console).code == "forbidden") }
        let reader = try world.test.reader()
        let reply = reader.answer(try request(GetAccount(), from: console), now: at(0))
        #expect(try reply.published.first?.code == "forbidden")
        let own: AccountState = try #require(
            try reader.answer(try request(GetAccount(), from: dave), now: at(0)).published.first
        ).value()
        #expect(own.email == "dave@example.com")
    }
}
