import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

@Suite("Setting a new password by a code")
struct PasswordResetTests {
    private let world: AccountWorld
    private let first: SignedIn

    init() throws {
        world = try AccountWorld()
        first = try world.makeAccount("dave@example.com", "dave")
    }

    private func sendCode(_ email: String, id: AccountRequestID = .random()) throws -> Published {
        try world.ask(
            SendAccountCode(
                id: id, network: try #require(AccountWorld.network), email: try AccountWorld.email(email)))
    }

    private func reset(
        _ email: String, _ code: AccountCode, _ password: String = "a new one", id: AccountRequestID = .random()
    ) throws -> Published {
        try world.ask(
            ResetPassword(
                id: id, network: try #require(AccountWorld.network), email: try AccountWorld.email(email), code: code,
                password: try AccountWorld.password(password)))
    }

    @Test("the code sets the password and signs out every device; a repeat does nothing")
    func works() throws {
        #expect(try sendCode("dave@example.com").isOK == true)
        let (id, code) = (AccountRequestID.random(), try world.lastCode())
        #expect(try reset("dave@example.com", code, id: id).isOK == true)
        #expect(try world.test.store.read { try $0.devices.device(first.address) } == nil)
        let next: SignedIn = try world.signIn("dave@example.com", "a new one").value()
        #expect(try reset("dave@example.com", code, id: id).isOK == true)
        #expect(try world.test.store.read { try $0.devices.device(next.address) } != nil)
        #expect(try world.signIn("dave@example.com").code == "unauthenticated")
        #expect(try reset("dave@example.com", code).code == "unauthenticated")
    }

    @Test("an unknown address gets the same reply, and a row, and no mail")
    func unknown() throws {
        let (known, unknown) = (try sendCode("dave@example.com"), try sendCode("erin@example.com"))
        #expect(known.payload == unknown.payload)
        #expect(try world.mails().map(\.to) == ["dave@example.com", ""])
        let code = try #require(AccountCode("12345678"))
        #expect(try reset("erin@example.com", code).payload == reset("dave@example.com", code).payload)
    }

    @Test("somebody who has registered and lost the mail gets it again, with the same code")
    func lostMail() throws {
        _ = try world.register("erin@example.com", as: "erin")
        let code = try world.lastCode()
        #expect(try sendCode("erin@example.com").isOK == true)
        #expect(try world.lastCode() == code && world.mails().count == 2)
        #expect(try world.verify("erin@example.com", code).isOK == true)
    }

    @Test("an address has three live codes, all of which void after five wrong ones together")
    func bounded() throws {
        for _ in 0..<5 { #expect(try sendCode("dave@example.com").isOK == true) }
        let codes = try world.mails().compactMap { $0.code.flatMap { AccountCode($0) } }
        // The last one again, where there are as many as may be.
        #expect(codes.count == 5 && Set(codes).count == 3 && codes[2...] == [codes[2], codes[2], codes[2]])
        let wrong = try #require((0..<4).compactMap { AccountCode("0000000\($0)") }.first { !codes.contains($0) })
        for _ in 0..<5 { #expect(try reset("dave@example.com", wrong).code == "unauthenticated") }
        for code in codes { #expect(try reset("dave@example.com", code).code == "unauthenticated") }
        #expect(try world.test.store.read { try $0.devices.device(first.address) } != nil)
        // Void ones keep nobody from a new one.
        #expect(try sendCode("dave@example.com").isOK == true)
        #expect(try reset("dave@example.com", try world.lastCode()).isOK == true)
    }

    @Test("a code of one purpose opens no other")
    func purposes() throws {
        #expect(try sendCode("dave@example.com").isOK == true)
        #expect(try world.verify("dave@example.com", try world.lastCode()).code == "unauthenticated")
        _ = try world.register("erin@example.com", as: "erin")
        #expect(try reset("erin@example.com", try world.lastCode()).code == "unauthenticated")
    }
}
