import ParleyProtocol
import TestSupport
import Testing

/// Codes that are sent by mail, and what their return does, at a whole gateway.
@Suite("Codes of accounts", .ownThreads)
struct AccountCodeTests {
    private let gateway: TestGateway
    private let door: AccountDoor

    init() throws {
        gateway = try TestGateway(settings: TestGateway.accounts)
        door = try AccountDoor(gateway)
    }

    private func others(than code: String) -> [String] {
        (0..<5).map { String(repeating: "\($0)", count: 8) }.map { $0 == code ? "99999999" : $0 }
    }

    @Test("five wrong ones void a code, and a mail that is asked for brings one that is good")
    func voided() throws {
        _ = try door.register("dave@example.com", as: "dave")
        let code = try door.code(mailedTo: "dave@example.com")
        for wrong in others(than: code) {
            #expect(try door.verify("dave@example.com", wrong).refusal == "unauthenticated")
        }
        #expect(try door.verify("dave@example.com", code).refusal == "unauthenticated")
        #expect(try door.ask("send-code", ["email": "dave@example.com"])["ok"] == true)
        let next = try door.code(mailedTo: "dave@example.com", after: code)
        #expect(try door.verify("dave@example.com", next).credentials.username == "dave")
    }

    @Test("a wrong code that is sent twice counts once")
    func countedOnce() throws {
        _ = try door.register("dave@example.com", as: "dave")
        let code = try door.code(mailedTo: "dave@example.com")
        let id = newID()
        for _ in 0..<10 {
            #expect(try door.verify("dave@example.com", others(than: code)[0], id: id).refusal == "unauthenticated")
        }
        #expect(try door.verify("dave@example.com", code).credentials.username == "dave")
    }

    @Test("a code works once, for what it was sent for and for the address that it was sent to")
    func once() throws {
        let id = newID()
        _ = try door.register("dave@example.com", as: "dave")
        _ = try door.register("erin@example.com", as: "erin")
        let (code, other) = (
            try door.code(mailedTo: "dave@example.com"), try door.code(mailedTo: "erin@example.com")
        )
        #expect(try door.verify("erin@example.com", code).refusal == "unauthenticated")
        #expect(
            try door.reset("dave@example.com", code, password: "another horse").refusal == "unauthenticated")
        let first = try door.verify("dave@example.com", code, id: id)
        #expect(try first.credentials.username == "dave")
        // The request once more is answered as before, and another one by the same code is refused.
        #expect(try door.verify("dave@example.com", code, id: id)["data"] == first["data"])
        #expect(try door.verify("dave@example.com", code).refusal == "unauthenticated")
        #expect(try door.verify("erin@example.com", other).credentials.username == "erin")
    }

    @Test("a reset sets the password once, and ends every device")
    func reset() throws {
        let email = "dave@example.com"
        let first = try door.makeAccount(email, as: "dave")
        let others = try (0..<2).map { _ in try door.signIn(email).credentials }
        let clients = try ([first] + others.prefix(1)).map { try gateway.connect($0) }
        let sent = try door.code(mailedTo: email)
        _ = try door.ask("send-code", ["email": .string(email)])
        let code = try door.code(mailedTo: email, after: sent)
        #expect(try door.reset(email, "00000000", password: "another horse").refusal == "unauthenticated")
        #expect(try clients[0].accepted("account/get")["user_id"] == "dave")
        #expect(try door.reset(email, code, password: "another horse")["ok"] == true)
        for client in clients { #expect(client.endsByItself()) }
        for credentials in [first] + others { #expect(gateway.refuses(credentials)) }
        #expect(try door.signIn(email).refusal == "unauthenticated")
        #expect(try door.reset(email, code, password: "a third horse").refusal == "unauthenticated")
        let again = try door.signIn(email, "another horse").credentials
        #expect(try gateway.connect(again).accepted("account/get")["has_password"] == true)
    }

    @Test("signing out everywhere ends all devices, or all others")
    func signOut() throws {
        let email = "dave@example.com"
        let devices =
            try [door.makeAccount(email, as: "dave")] + (0..<2).map { _ in try door.signIn(email).credentials }
        let clients = try devices.map { try gateway.connect($0) }
        try clients[0].accepted("account/sign-out-everywhere", ["keep_this": true])
        for client in clients.dropFirst() { #expect(client.endsByItself()) }
        #expect(devices.map { gateway.refuses($0) } == [false, true, true])
        #expect(try clients[0].accepted("devices/list")["devices"].elements.count == 1)
        try clients[0].ask("account/sign-out-everywhere", [UInt8]("{}".utf8))
        #expect(clients[0].endsByItself())
        #expect(gateway.refuses(devices[0]))
        // Who signs in again is the same user.
        #expect(try door.signIn(email).credentials.username == "dave")
    }
}
