import HTTPDoubles
import ParleyClient
import ParleyProtocol
import Synchronization
import TestNames
import TestSupport
import Testing

@testable import parley

@Suite("Asking a web door")
struct WebDoorTests {
    private static let accepted = HTTPDouble.Reaction.answer(200, body: #"{"request_id":null,"ok":true,"data":{}}"#)
    private static let refused = HTTPDouble.Reaction.answer(
        401, body: #"{"request_id":null,"ok":false,"error":{"code":"unauthenticated","message":"Wrong."}}"#)
    private static let signedIn = HTTPDouble.Reaction.answer(
        200,
        body: #"{"ok":true,"data":{"user_id":"alice","device_id":"d-1","username":"alice","client_id":"alice:d-1","#
            + #""password":"token","expires_at":"2026-12-26T08:00:00.000Z"}}"#)

    private let email: EmailAddress
    private let password: AccountPassword
    private let code: AccountCode
    private let device = SignInDevice(device: "phone", name: "Phone")

    init() throws {
        email = try #require(EmailAddress("alice@example.org"))
        password = try #require(AccountPassword("correct horse"))
        code = try #require(AccountCode("12345678"))
    }

    private func door(_ double: HTTPDouble, path: String = "", timeout: Duration = .seconds(60)) throws -> WebDoor {
        let address = try #require(DoorAddress(argument: double.url(path)))
        return WebDoor(address: address, timeout: timeout, caFile: nil)
    }

    /// The request that the gateway gets when the door has added the asker's address.
    private func request<R: AccountCommand>(_ type: R.Type, _ received: HTTPDouble.Request) throws -> R {
        let json = String(decoding: received.body, as: UTF8.self)
        #expect(!json.contains("\"address\""))
        #expect(received.head.hasPrefix("POST "))
        #expect(received["content-type"] == "application/json")
        return try R(members: JSONObject(parsing: Array((json.dropLast() + #","address":"192.0.2.1"}"#).utf8)))
    }

    @Test("each operation is asked for by a POST of its fields, but for the address, which the door knows")
    func operations() async throws {
        let double = try HTTPDouble {
            $0.path.hasSuffix("sign-in") || $0.path.hasSuffix("verify") ? Self.signedIn : Self.accepted
        }
        defer { double.close() }
        let door = try door(double, path: "/behind")
        let network = try #require(ClientNetwork("192.0.2.1"))
        let user = NewUser(user: "alice", displayName: "Alice")
        try await door.register(email, password, as: user)
        let verified = try await door.verify(email, code, password, on: device)
        let signed = try await door.signIn(email, password, on: SignInDevice())
        try await door.sendCode(to: email)
        try await door.reset(email, code, to: password)
        #expect(verified.address.description == "alice/d-1" && verified == signed)
        let received = double.received
        #expect(
            received.map(\.path)
                == ["register", "verify", "sign-in", "send-code", "reset"].map {
                    "/behind/api/v1/accounts/\($0)"
                })
        let register = try request(Register.self, received[0])
        #expect(
            register == Register(id: register.id, network: network, email: email, password: password, newUser: user))
        let verify = try request(VerifyRegistration.self, received[1])
        #expect(
            verify
                == VerifyRegistration(
                    id: verify.id, network: network, email: email, code: code, password: password, device: device))
        let signIn = try request(SignInByPassword.self, received[2])
        #expect(signIn == SignInByPassword(id: signIn.id, network: network, email: email, password: password))
        let send = try request(SendAccountCode.self, received[3])
        #expect(send == SendAccountCode(id: send.id, network: network, email: email))
        let reset = try request(ResetPassword.self, received[4])
        #expect(reset == ResetPassword(id: reset.id, network: network, email: email, code: code, password: password))
        #expect(Set([register.id, verify.id, signIn.id, send.id, reset.id]).count == 5)
    }

    @Test("a request whose answer was lost, or whose gateway is away, is repeated under the same id")
    func repeats() async throws {
        let reactions = Mutex([HTTPDouble.Reaction.bytes("HTTP/1.1 2"), .answer(503), .bytes("")])
        let double = try HTTPDouble { _ in reactions.withLock { $0.isEmpty ? Self.accepted : $0.removeFirst() } }
        defer { double.close() }
        try await door(double).sendCode(to: email)
        #expect(double.received.count == 4)
        #expect(Set(double.received.map(\.body)).count == 1)
    }

    @Test("a refusal is the gateway's, and is not repeated")
    func refusal() async throws {
        let double = try HTTPDouble { _ in Self.refused }
        defer { double.close() }
        let error = await #expect(throws: Rejection.self) { try await door(double).signIn(email, password, on: device) }
        #expect(error?.code == .unauthenticated && error?.message == "Wrong.")
        #expect(double.received.count == 1)
    }

    @Test(
        "what is no answer of a door is said to be none",
        arguments: [
            (404, ""), (200, "<html>"), (200, "{}"), (200, #"{"ok":true}"#), (301, #"{"ok":"yes"}"#), (500, "[]"),
            (200, #"{"ok":false}"#),
        ])
    func noDoor(status: Int, body: String) async throws {
        let double = try HTTPDouble { _ in .answer(status, [("Location", "https://example.org")], body: body) }
        defer { double.close() }
        let error = await #expect(throws: ToolError.self) { try await door(double).sendCode(to: email) }
        #expect(error?.status == .noAnswer && error?.message.contains("HTTP \(status)") == true)
        #expect(double.received.count == 1)
    }

    @Test("credentials that lack something are none, and a door that is not there is not waited for")
    func nothing() async throws {
        let double = try HTTPDouble { _ in Self.accepted }
        let error = await #expect(throws: ToolError.self) { try await door(double).signIn(email, password, on: device) }
        #expect(error?.message.contains("gives no credentials") == true)
        double.close()
        let gone = await #expect(throws: ToolError.self) { try await door(double).sendCode(to: email) }
        #expect(gone?.status == .noAnswer && gone?.message.hasSuffix("no connection") == true)
    }

    @Test("a door that never answers is given up when the time is over")
    func silence() async throws {
        let double = try HTTPDouble { _ in .silence }
        defer { double.close() }
        let error = await #expect(throws: ToolError.self) {
            try await door(double, timeout: .milliseconds(300)).sendCode(to: email)
        }
        #expect(error?.message.hasSuffix("no answer in time") == true)
    }

    @Test("a certificate that nobody trusts, or of another host, is refused before anything is sent")
    func certificate() async throws {
        let double = try HTTPDouble(isTLS: true) { _ in Self.signedIn }
        defer { double.close() }
        let place = try TemporaryDirectory()
        try place.write(TestKeys.certificate, to: "ca.pem")
        let trusted = place.path + "/ca.pem"
        func signIn(_ host: String, caFile: String?) async throws -> SignedIn {
            let address = try #require(DoorAddress(argument: "https://\(host):\(double.port)"))
            return try await WebDoor(address: address, timeout: .seconds(60), caFile: caFile)
                .signIn(email, password, on: device)
        }
        for (host, caFile) in [("localhost", nil), ("127.0.0.1", trusted)] {
            let error = await #expect(throws: ToolError.self) { try await signIn(host, caFile: caFile) }
            #expect(error?.status == .noAnswer)
        }
        #expect(double.received.isEmpty)
        #expect(try await signIn("localhost", caFile: trusted).address.description == "alice/d-1")
        let missing = await #expect(throws: ToolError.self) {
            try await signIn("localhost", caFile: place.path + "/none.pem")
        }
        #expect(missing?.message.contains("none.pem") == true)
    }
}
