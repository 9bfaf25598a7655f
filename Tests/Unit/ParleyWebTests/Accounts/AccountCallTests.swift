import ParleyProtocol
import ParleyWeb
import TestSupport
import Testing

@Suite("Requests about accounts", .seeded)
struct AccountCallTests {
    private static let doors = OperationTable.all.filter { $0.askers == .doors }
    private static let network = ClientNetwork("192.0.2.7")

    private func call(
        _ verb: String, _ body: String, key: String? = nil, contentType: String? = "application/json",
        from network: ClientNetwork? = network
    ) throws -> GatewayCall {
        let head = APIRequestHead(
            method: "POST", target: "/api/v1/accounts/\(verb)", contentType: contentType, idempotencyKey: key)
        guard case .account(let call) = try APIRoute(head) else { throw APISample.NotACall() }
        return try call.call(body: APISample.bytes(body), from: try #require(network))
    }

    private func id(_ verb: String, _ body: String, key: String?) throws -> AccountRequestID? {
        try call(verb, body, key: key).object.uuid("id")
    }

    @Test("what only a door may ask needs no token, and nothing else does without")
    func routes() throws {
        for request in OperationTable.forClients {
            let head = APIRequestHead(method: "POST", target: "/api/v1/\(request.operation)")
            let isAccount = if case .account = try APIRoute(head) { true } else { false }
            #expect(isAccount == (request.askers == .doors), "\(request.operation)")
        }
        #expect(Self.doors.count == 7)
    }

    @Test("the address is where the client is, whatever the body says")
    func address() throws {
        for body in [
            #"{"email":"a@example.com"}"#, #"{"address":"198.51.100.1","email":"a@example.com"}"#,
            #"{"email":"a@example.com","\u0061ddress":"198.51.100.1"}"#, #"{"address":null}"#,
            #"{"address":{"address":"198.51.100.1"}}"#, "", "  {}  ",
        ] {
            let object = try call("send-code", body).object
            #expect(try object.text("address", maximum: 45) == "192.0.2.7", "\(body)")
            #expect(object.names.filter { $0 == "address" }.count == 1)
        }
        #expect(throws: APIRefusal.self) { try call("send-code", #"{"address":"1","\u0061ddress":"2"}"#) }
        let six = try call("send-code", "{}", from: ClientNetwork("2001:db8::7")).object
        #expect(try six.text("address", maximum: 45) == "2001:db8::7")
    }

    @Test("the fields of the body go on as they came, with an id where there is none")
    func fields() throws {
        let text = #" {"email":"a@example.com","password":"p\u00e4ss","x":[1, 2]} "#
        let sent = try call("sign-in", text)
        #expect("\(sent.operation)" == "accounts/sign-in" && sent.text.hasSuffix(String(text.dropFirst(2))))
        #expect(try sent.object.uuid("id", as: AccountRequestID.self) != nil)
        let given = try call("sign-in", #"{"id":"\#(APISample.message)"}"#, key: "k").object
        #expect(try given.uuid("id", as: AccountRequestID.self).map { "\($0)" } == APISample.message)
        #expect(try call("providers", "").text == "{}")
    }

    @Test("the same key names the same request only with the same fields: strangers do not meet under it")
    func idempotencyKey() throws {
        let body = #"{"email":"a@example.com","password":"one"}"#
        let first = try id("sign-in", body, key: "1")
        #expect(first?.value.isNameBased == true)
        #expect(try id("sign-in", body, key: "1") == first)
        for same in [
            #"{"password":"one","email":"a@example.com"}"#, #" { "p\u0061ssword" : "one", "email":"a@example.com" } "#,
            #"{"email":"a@example.com","request_id":"second","password":"one","address":"192.0.2.9"}"#,
        ] { #expect(try id("sign-in", same, key: "1") == first) }
        let others = [
            try id("sign-in", #"{"email":"one","password":"a@example.com"}"#, key: "1"),
            try id("sign-in", body, key: "2"), try id("send-code", body, key: "1"),
            try id("sign-in", #"{"email":"a@example.com","password":"two"}"#, key: "1"),
            try id("sign-in", #"{"email":"b@example.com","password":"one"}"#, key: "1"),
            try id("sign-in", body, key: nil), try id("sign-in", body, key: nil),
        ]
        #expect(Set(others + [first]).count == others.count + 1 && !others.contains(nil))
    }

    @Test("no key of a device's names what a stranger asks")
    func otherKeys() throws {
        let device = try APISample.call("POST", "groups/create", "{}", key: "1").object.uuid("id", as: GroupID.self)
        for request in Self.doors where request.namesWhatItMakes {
            #expect(try id(request.operation.verb, "{}", key: "1")?.value != device?.value)
        }
    }

    @Test("a body of another type, or that is no object, and a bad key are refused")
    func refusals() throws {
        func status(_ body: String, key: String? = nil, contentType: String? = "application/json") throws -> Int? {
            do {
                _ = try call("sign-in", body, key: key, contentType: contentType)
                return nil
            } catch let refusal as APIRefusal {
                return refusal.status
            }
        }
        #expect(try status("{}") == nil)
        #expect(try status("{}", contentType: "text/plain") == 415)
        for body in ["[]", "x", "{", #"{"a":1,"a":2}"#, "null"] { #expect(try status(body) == 400, "\(body)") }
        #expect(try status("{}", key: "a b") == 400)
    }

    @Test("any body is answered, and names no other address")
    func anything() throws {
        var random = Seeded(stream: 2602)
        for _ in 0..<2000 {
            let body = String(decoding: random.bytes(0...80), as: UTF8.self)
            guard let sent = try? call("register", random.chance(0.5) ? body : #"{"address":\#(body)}"#) else {
                continue
            }
            #expect(try sent.object.text("address", maximum: 45) == "192.0.2.7")
        }
    }
}
