import Testing

extension GatewayTests {
    @Suite("Keys")
    final class KeyTests: PairSuite {
        @Test("published keys are there for others, with the signature that ties them together")
        func publish() throws {
            #expect(try bob.accepted("keys/get", ["user_id": .string(alice.user)])["devices"] == [])
            let fields = try KeyPair().fields(for: alice)
            let published = try alice.accepted("keys/publish", fields)
            #expect(try alice.accepted("keys/publish", fields) == published)
            let keys = try bob.accepted("keys/get", ["user_id": .string(alice.user)])
            #expect(keys["user_id"].text == alice.user)
            #expect(keys == published)
            #expect(keys["devices"].elements.count == 1 && keys["devices"][0]["device_id"] == "phone")
            for field in fields.keys { #expect(published["devices"][0][field] == fields[field]) }
            #expect(try alice.accepted("devices/list")["devices"][0]["has_keys"] == true)
        }

        @Test("a signature that is not the signing key's, or of another device or key, is refused")
        func signature() throws {
            let fields = try KeyPair().fields(for: alice)
            let others = try KeyPair().fields(for: bob)
            let wrong: [JSON] = [
                fields.with(["signature": others["signature"]]), fields.with(["signing_key": others["signing_key"]]),
                fields.with(["identity_key": others["identity_key"]]), others, fields.without("signing_key"),
                fields.with(["signature": .string(base64([UInt8](repeating: 0, count: 64)))]),
                fields.with(["signature": "AAAA"]), fields.with(["signing_key": "AAAA"]),
            ]
            for fields in wrong { #expect(try alice.refusal("keys/publish", fields) == "bad_request") }
            #expect(try bob.accepted("keys/get", ["user_id": .string(alice.user)])["devices"] == [])
        }
    }
}
