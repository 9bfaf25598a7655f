import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Signing in")
struct AccountSignInTests {
    private let world: AccountWorld
    private let first: SignedIn

    init() throws {
        world = try AccountWorld()
        first = try world.makeAccount("dave@example.com", "dave")
    }

    private func devices() throws -> Int {
        try world.test.store.read { try $0.devices.summaries(of: "dave").count }
    }

    @Test("a wrong password, an unknown address and one without a password get one answer")
    func refused() throws {
        let answers = try [
            world.signIn("dave@example.com", "wrong"), world.signIn("erin@example.com"),
            world.signIn("dave@example.com", "correct hors"),
        ]
        for answer in answers {
            #expect(answer.code == "unauthenticated" && answer.payload == answers[0].payload)
        }
        #expect(try devices() == 1)
    }

    @Test("a password that was hashed at another cost is hashed anew by a sign-in, and only by one with that password")
    func rehashed() throws {
        var settings = world.test.writer.settings
        settings.passwordPasses += 1
        let former = try PasswordHashing(settings).hash(try AccountWorld.password("correct horse"))
        try world.test.store.write { try $0.passwords.set(former, of: "dave", at: at(0)) }
        func stored() throws -> PasswordHash? { try world.test.store.read { try $0.passwords.password(of: "dave") } }
        #expect(try world.signIn("dave@example.com", "wrong horse").isOK == false)
        #expect(try stored() == former)
        #expect(try world.signIn("dave@example.com").isOK == true)
        let present = try stored()
        #expect(present?.passes == world.test.writer.settings.passwordPasses)
        #expect(try world.signIn("dave@example.com").isOK == true)
        #expect(try stored() == present)
    }

    @Test("each sign-in makes a device, which has the name that was given to it")
    func freshDevice() throws {
        let second: SignedIn = try world.signIn(
            "dave@example.com", device: SignInDevice(name: "Dave's browser")
        ).value()
        #expect(second.address.user == "dave" && second.address != first.address)
        let summaries = try world.test.store.read { try $0.devices.summaries(of: "dave") }
        #expect(summaries.count == 2 && summaries.contains { $0.name == "Dave's browser" })
    }

    @Test("a repeat gets the same token and makes no second device, also when another request came between")
    func repeated() throws {
        let id = AccountRequestID.random()
        let one: SignedIn = try world.signIn("dave@example.com", id: id).value()
        _ = try world.signIn("dave@example.com")
        let other: SignedIn = try world.signIn("dave@example.com", id: id, now: at(8000)).value()
        #expect(one == other)
        #expect(try devices() == 3)
        #expect(try world.signIn("dave@example.com", "another", id: id).code == "conflict")
    }

    @Test("a repeat gets nothing of a token that another request has made for the device since")
    func repeatedTooLate() throws {
        let (id, phone) = (AccountRequestID.random(), SignInDevice(device: "phone"))
        #expect(try world.signIn("dave@example.com", id: id, device: phone).isOK == true)
        #expect(try world.signIn("dave@example.com", device: phone).isOK == true)
        #expect(try world.signIn("dave@example.com", id: id, device: phone).code == "unauthenticated")
    }

    @Test("devices whose tokens have expired take no place among the most")
    func expiredDevices() throws {
        for _ in 1..<SignInDeviceRule.mostDevices { _ = try world.signIn("dave@example.com") }
        try world.test.execute("UPDATE devices SET expires_at = 0 WHERE user = 'dave'")
        #expect(try world.signIn("dave@example.com").isOK == true)
    }

    @Test("a repeat from another network is one: a phone changes between two")
    func repeatedElsewhere() throws {
        let id = AccountRequestID.random()
        let one: SignedIn = try world.signIn("dave@example.com", id: id).value()
        let other: SignedIn = try world.signIn(
            "dave@example.com", id: id, from: ClientNetwork("2001:db8::1"), now: at(8000)
        ).value()
        #expect(one == other)
        #expect(try devices() == 2)
    }

    @Test("a device of the user's gets a new token, and the old one ends")
    func knownDevice() throws {
        let again: SignedIn = try world.signIn(
            "dave@example.com", device: SignInDevice(device: first.address.device)
        ).value()
        #expect(again.address == first.address && again.credentials.password != first.credentials.password)
        #expect(try devices() == 1)
        let status = try #require(try world.test.store.read { try $0.devices.device(first.address) }).status
        let bytes = Array(first.credentials.password.utf8)
        let parsed = AccessToken(parsing: bytes.span)
        let old = try #require(parsed)
        #expect(status.end(of: old.claims.id) == nil)
    }

    @Test("a password that was changed while it was being checked signs nobody in")
    func changedMeanwhile() throws {
        let incoming = try request(
            SignInByPassword(
                id: .random(), network: try #require(AccountWorld.network),
                email: try AccountWorld.email("dave@example.com"),
                password: try AccountWorld.password("correct horse")), from: .webDoor)
        let found = try world.test.withFinding(incoming)
        try world.test.execute("UPDATE passwords SET hash = zeroblob(32)")
        let replies = try world.test.carryOut([found]).effects.outgoing.replies
        #expect(replies.map(\.code) == ["unauthenticated"])
        #expect(try devices() == 1)
    }

    @Test("a user has a bounded number of devices, of which each may sign in again")
    func mostDevices() throws {
        for _ in 1..<SignInDeviceRule.mostDevices { #expect(try world.signIn("dave@example.com").isOK == true) }
        #expect(try world.signIn("dave@example.com").code == "forbidden")
        #expect(
            try world.signIn("dave@example.com", device: SignInDevice(device: first.address.device)).isOK == true)
    }

    @Test("people and operators may not ask what is for doors")
    func doorsAlone() throws {
        for sender in [device("alice", "phone"), device("operator", "console")] {
            let reply = try world.ask(
                SignInByPassword(
                    id: .random(), network: try #require(AccountWorld.network),
                    email: try AccountWorld.email("dave@example.com"),
                    password: try AccountWorld.password("correct horse")), by: sender)
            #expect(reply.code == "forbidden")
        }
        #expect(try world.ask(RevokeDevice(device: "phone"), by: .webDoor).code == "forbidden")
    }
}

@Suite("Signing in by a provider's word")
struct ProviderSignInTests {
    private let world: AccountWorld

    init() throws { world = try AccountWorld() }

    private func signIn(
        _ token: String, provider: IdentityProviderName = "google", newUser: UserID? = nil,
        id: AccountRequestID = .random()
    ) throws -> Published {
        try world.ask(
            SignInByProvider(
                id: id, network: try #require(AccountWorld.network),
                proof: IdentityProof(provider: provider, token: token),
                newUser: newUser.map { NewUser(user: $0, displayName: "Dave") }))
    }

    @Test("an unknown subject needs a user id; with one it gets an account, and is known from then on")
    func newAccount() throws {
        let unknown = try signIn("1234")
        #expect(unknown.code == "not_found" && unknown.message?.contains("user_id") == true)
        let made: SignedIn = try signIn("1234", newUser: "dave").value()
        #expect(made.address.user == "dave")
        let again: SignedIn = try signIn("1234").value()
        #expect(again.address.user == "dave" && again.address != made.address)
        #expect(try world.account(of: "dave").providers.map(\.provider) == ["google"])
        #expect(try signIn("1234", provider: "apple").code == "not_found")
        #expect(try signIn("12345", newUser: "dave").code == "conflict")
    }

    @Test("a repeat that makes an account makes one, and gets the same token")
    func repeated() throws {
        let id = AccountRequestID.random()
        let one: SignedIn = try signIn("1234", newUser: "dave", id: id).value()
        let other: SignedIn = try signIn("1234", newUser: "dave", id: id).value()
        #expect(one == other)
    }

    @Test("a bad token, an unknown provider and a closed registration are refused")
    func refused() throws {
        #expect(try signIn("bad", newUser: "dave").code == "unauthenticated")
        #expect(try signIn("1234", provider: "other", newUser: "dave").code == "not_found")
        let closed = try AccountWorld { $0.registration = Registration.closed.rawValue }
        let reply = try closed.ask(
            SignInByProvider(
                id: .random(), network: try #require(AccountWorld.network),
                proof: IdentityProof(provider: "google", token: "1"), newUser: NewUser(user: "dave")))
        #expect(reply.code == "forbidden")
    }

    @Test("the providers are those of the settings, with who may register")
    func providers() throws {
        var reader = try world.test.reader()
        reader.identityProviders = TestIdentities().providers
        let reply = try #require(
            try reader.answer(try request(GetAccountProviders(), from: .webDoor), now: at(0)).published.first)
        let providers: AccountProviders = try reply.value()
        #expect(providers.registration == .known(.open) && providers.providers == TestIdentities().providers)
    }
}
