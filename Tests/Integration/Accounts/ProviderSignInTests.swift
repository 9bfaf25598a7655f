import IdentityDoubles
import OpenSSL
import ParleyProtocol
import TestSupport
import Testing

/// People sign in by the word of a provider of OpenID Connect, at a whole gateway.
@Suite("Signing in by a provider", .ownThreads)
struct ProviderSignInTests {
    @Test("the first sign-in makes the account, and each later one finds it")
    func signsIn() throws {
        let site = try ProviderGateway()
        let token = try site.token(of: "s1")
        #expect(try site.signIn(token).refusal == "not_found")
        let first = try site.signIn(token, ["user_id": "dave", "device_name": "Dave's phone"]).credentials
        #expect(first.username == "dave")
        #expect(try site.gateway.connect(first).accepted("account/get")["providers"][0]["provider"] == "acme")
        // Another token of the same person, and another name that they would like to have.
        let again = try site.signIn(try site.token(of: "s1", by: site.p256), ["user_id": "dora"]).credentials
        #expect(again.username == "dave" && again.clientID != first.clientID)
        #expect(try site.signIn(try site.token(of: "s2"), ["user_id": "dave"]).refusal == "conflict")
        // The same device once more: its token is made anew.
        let device = String(first.clientID.dropFirst("dave:".count))
        let renewed = try site.signIn(token, ["device_id": .string(device)]).credentials
        #expect(renewed.clientID == first.clientID && renewed.password != first.password)
        try site.gateway.connect(renewed).accepted("profile/get")
        #expect(site.gateway.refuses(first))
    }

    @Test("several ways lead to one user; none is anybody else's, and the last one stays")
    func links() throws {
        let other = try ProviderDouble(keys: [.rsa("r")])
        defer { other.close() }
        let site = try ProviderGateway(["other": other])
        let dave = try site.gateway.connect(
            try site.signIn(try site.token(of: "s1"), ["user_id": "dave"]).credentials)
        func ask(_ verb: String, _ fields: JSON, by client: DeviceClient) throws -> String? {
            try client.refusal("account/\(verb)", fields.with(["id": .string(newID())]))
        }
        #expect(try ask("unlink", ["provider": "acme"], by: dave) == "conflict")
        #expect(try ask("set-password", ["password": "correct horse"], by: dave) == "conflict")

        let email: JSON = ["email": "Dave@Example.com", "password": .string(AccountDoor.password)]
        #expect(try ask("link", email, by: dave) == nil)
        let code = try site.door.code(mailedTo: "dave@example.com")
        #expect(try site.door.signIn("dave@example.com").refusal == "unauthenticated")
        #expect(try ask("confirm", ["email": "dave@example.com", "code": "00000000"], by: dave) == "forbidden")
        #expect(try ask("confirm", ["email": "dave@example.com", "code": .string(code)], by: dave) == nil)
        #expect(try site.door.signIn("dave@example.com").credentials.username == "dave")

        let second = String(decoding: try site.text(of: other).signed(by: site.rsa), as: UTF8.self)
        let password: JSON = ["current": .string(AccountDoor.password)]
        let link: JSON = ["provider": "other", "id_token": .string(second)]
        #expect(try ask("link", link, by: dave) == "forbidden")
        #expect(try ask("link", link.with(password), by: dave) == nil)
        #expect(try site.signIn(second, at: "other").credentials.username == "dave")
        // A token of the one is none of the other.
        #expect(try site.signIn(second).refusal == "unauthenticated")
        #expect(try ask("link", ["provider": "acme", "id_token": .string(second)], by: dave) == "forbidden")

        // What is one user's is no other's: of an address the other is not told.
        let erin = try site.gateway.connect(
            try site.signIn(try site.token(of: "s3"), ["user_id": "erin"]).credentials)
        #expect(try ask("link", link, by: erin) == "conflict")
        #expect(try ask("link", email, by: erin) == nil)
        let account = try dave.accepted("account/get")
        #expect(account["email"] == "Dave@Example.com" && account["has_password"] == true)
        #expect(account["providers"].elements.map { $0["provider"] } == ["acme", "other"])

        #expect(try ask("unlink", ["provider": "acme"], by: dave) == "forbidden")
        #expect(try ask("unlink", password.with(["provider": "acme"]), by: dave) == nil)
        #expect(try site.signIn(try site.token(of: "s1")).refusal == "not_found")
        #expect(try ask("unlink", password.with(["provider": "email"]), by: dave) == nil)
        #expect(try site.door.signIn("dave@example.com").refusal == "unauthenticated")
        #expect(try ask("unlink", ["provider": "other"], by: dave) == "conflict")
        #expect(try site.signIn(second, at: "other").credentials.username == "dave")
    }
}
