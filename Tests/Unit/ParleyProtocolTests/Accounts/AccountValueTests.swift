import ParleyProtocol
import Testing

@Suite("Values of accounts")
struct AccountValueTests {
    @Test(
        "internet addresses of one household are one network",
        arguments: [
            ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
            ("2001:db8::1", "2001:db8:0:0:ffff::2", true), ("2001:db8::1", "2001:db8:0:1::1", false),
            ("::ffff:192.0.2.1", "192.0.2.1", true), ("::ffff:c000:201", "192.0.2.1", true), ("::", "::1", true),
            ("2001:DB8::", "2001:db8::", true), ("1:2:3:4:5:6:7:8", "1:2:3:4::", true),
        ])
    func networks(one: String, other: String, isSame: Bool) throws {
        let (first, second) = (try #require(ClientNetwork(one)), try #require(ClientNetwork(other)))
        #expect((first == second) == isSame)
        #expect("\(first)" == "a network")
    }

    @Test(
        "what is no internet address is refused",
        arguments: [
            "", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.-4", "1.2.3.4 ", "+1.2.3.4", "1.2.3.0004", ":", ":::",
            "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "g::", "fe80::1%eth0", "[::1]",
            "1:2:3:4:5:6:7::8",
            "::1.2.3", "1.2.3.4:80", "::1.2.3.4:5", String(repeating: "1", count: 46), "١.2.3.4",
        ])
    func noAddress(text: String) { #expect(ClientNetwork(text) == nil) }

    @Test("a code has eight digits, also one that begins with zeros")
    func codes() {
        #expect(AccountCode(digest: [UInt8](repeating: 0, count: 16)).digits == "00000000")
        #expect(AccountCode(digest: [0, 0, 0, 0, 0, 0, 0, 7]).digits == "00000007")
        #expect(AccountCode(digest: [UInt8](repeating: 255, count: 8)).digits.utf8.count == 8)
        for text in ["", "1234567", "123456789", "1234567a", "１２３４５６７８", " 1234567"] {
            #expect(AccountCode(text) == nil)
        }
    }

    private static let id = #""id":"0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d""#
    private static let asked = #"\#(id),"address":"192.0.2.1","email":"a@example.com""#

    private func refusal<Value: Request>(_ type: Value.Type, _ json: String) throws -> Rejection? {
        let object = try JSONObject(parsing: Array(json.utf8))
        do throws(Rejection) {
            _ = try Value(members: object)
            return nil
        } catch {
            return error
        }
    }

    @Test("requests are read as they are written, and print no secrets")
    func roundTrip() throws {
        let network = try #require(ClientNetwork("192.0.2.1"))
        let email = try #require(EmailAddress("a@example.com"))
        let password = try #require(AccountPassword("correct horse"))
        let signIn = SignInByPassword(
            id: .random(), network: network, email: email, password: password,
            device: SignInDevice(device: DeviceID(validated: "phone"), name: "Phone"))
        #expect(try SignInByPassword(members: try JSONObject(parsing: signIn.payload())) == signIn)
        let register = Register(
            id: .random(), network: network, email: email, password: password,
            newUser: NewUser(
                user: UserID(validated: "alice"), displayName: "Alice", invite: InviteToken("AAAAAAAAAAAAAAAAAAAAAA")))
        #expect(try Register(members: try JSONObject(parsing: register.payload())) == register)
        for way in [
            LinkIdentity.Way.email(EmailCredentials(email: email, password: password)),
            .provider(ProviderLink(IdentityProof(provider: .apple, token: "t", nonce: "n"))),
        ] {
            let link = LinkIdentity(id: .random(), way: way)
            #expect(try LinkIdentity(members: try JSONObject(parsing: link.payload())) == link)
        }
        #expect("\(password)" == "a password")
        #expect("\(try #require(AccountCode("12345678")))" == "a code")
    }

    @Test("what is missing, too short or too much is refused")
    func refusals() throws {
        #expect(try refusal(SignInByPassword.self, #"{\#(Self.asked),"password":"x"}"#) == nil)
        #expect(try refusal(SignInByPassword.self, #"{\#(Self.asked),"password":""}"#)?.code == .badRequest)
        #expect(try refusal(SignInByPassword.self, "{\(Self.asked)}")?.code == .badRequest)
        let long = String(repeating: "x", count: 257)
        #expect(try refusal(SignInByPassword.self, #"{\#(Self.asked),"password":"\#(long)"}"#)?.code == .badRequest)
        #expect(
            try refusal(Register.self, #"{\#(Self.asked),"password":"1234567","user_id":"a"}"#)?.code == .badRequest)
        #expect(try refusal(Register.self, #"{\#(Self.asked),"password":"12345678","user_id":"a"}"#) == nil)
        #expect(
            try refusal(Register.self, #"{\#(Self.asked),"password":"12345678","user_id":"a/b"}"#)?.code == .badRequest)
        #expect(try refusal(VerifyRegistration.self, #"{\#(Self.asked),"code":"1234"}"#)?.code == .badRequest)
        #expect(try refusal(LinkIdentity.self, "{\(Self.id)}")?.code == .badRequest)
        let both = #"{\#(Self.id),"email":"a@example.com","password":"12345678","provider":"apple","id_token":"t"}"#
        #expect(try refusal(LinkIdentity.self, both)?.code == .badRequest)
        #expect(
            try refusal(SendAccountCode.self, #"{"address":"x","email":"a@example.com",\#(Self.id)}"#)?.code
                == .badRequest)
        #expect(
            try refusal(SignInByProvider.self, #"{\#(Self.id),"address":"::1","provider":"apple","id_token":""}"#)?.code
                == .badRequest)
    }
}
