import Testing

extension GatewayTests {
    @Suite("Keys")
    struct KeyTests {
        let gateway: TestGateway
        let alice: DeviceClient
        let bob: DeviceClient

        init() throws {
            gateway = try SharedGateway.current
            let people = try gateway.people(2)
            (alice, bob) = (try gateway.connect(people[0]), try gateway.connect(people[1]))
        }

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

        @Test("new keys replace the old")
        func replace() throws {
            try alice.accepted("keys/publish", KeyPair().fields(for: alice))
            let second: JSON = ["identity_key": .string(base64(KeyPair().identityKey))]
            try alice.accepted("keys/publish", second)
            let keys = try bob.accepted("keys/get", ["user_id": .string(alice.user)])["devices"]
            #expect(keys.elements.count == 1)
            #expect(keys[0]["identity_key"] == second["identity_key"])
            #expect(keys[0]["signing_key"] == .null)
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

        @Test("identity keys of low order, or of another length, are refused")
        func lowOrder() throws {
            var one = [UInt8](repeating: 0, count: 32)
            one[0] = 1
            let order8: [UInt8] = [
                0xE0, 0xEB, 0x7A, 0x7C, 0x3B, 0x41, 0xB8, 0xAE, 0x16, 0x56, 0xE3, 0xFA, 0xF1, 0x9F, 0xC4, 0x6A, 0xDA,
                0x09, 0x8D, 0xEB, 0x9C, 0x32, 0xB1, 0xFD, 0x86, 0x62, 0x05, 0x16, 0x5F, 0x49, 0xB8, 0x00,
            ]
            let prime = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
            let bad =
                [[UInt8](repeating: 0, count: 32), one, order8, prime]
                + [31, 33, 0].map {
                    [UInt8](repeating: 9, count: $0)
                }
            for key in bad {
                #expect(
                    try alice.refusal("keys/publish", ["identity_key": .string(base64(key))]) == "bad_request")
            }
            #expect(try alice.refusal("keys/publish") == "bad_request")
        }

        @Test("the keys of an unknown user are not found")
        func unknown() throws {
            #expect(try alice.refusal("keys/get", ["user_id": "nobody"]) == "not_found")
            #expect(try alice.refusal("keys/get", ["user_id": "a/b"]) == "bad_request")
        }
    }
}
