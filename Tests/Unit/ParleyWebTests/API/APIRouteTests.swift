import ParleyProtocol
import ParleyWeb
import TestSupport
import Testing

@Suite("Paths of the API", .seeded)
struct APIRouteTests {
    @Test(
        "a resource asks its operation",
        arguments: [
            ("POST", "users/me/public-key", #"{"public_key":"AAAA"}"#, "keys/publish"),
            ("GET", "users/me/public-key", "", "keys/get"), ("GET", "users/bob/public-key", "", "keys/get"),
            ("GET", "users/%62ob/public-key", "", "keys/get"), ("POST", "conversations", "", "conversations/create"),
            ("GET", "conversations?limit=3", "", "conversations/list"), ("POST", "messages", "", "messages/send"),
            ("GET", "conversations/\(APISample.conversation)/messages", "", "history/get"),
            ("POST", "conversations/\(APISample.conversation)/read", "", "receipts/read"),
        ])
    func resources(method: String, path: String, body: String, operation: String) throws {
        #expect("\(try APISample.call(method, path, body).operation)" == operation)
    }

    @Test("every operation has a path")
    func operations() throws {
        for request in OperationTable.forClients where request.hasReply {
            #expect(try APISample.refusal("POST", "\(request.operation)", "{}") == nil, "\(request.operation)")
        }
        #expect(try APISample.refusal("POST", "accounts/nothing", "{}")?.status == 404)
    }

    @Test("the document and the ticket are the door's own")
    func ownResources() throws {
        guard case .document = try APIRoute(APIRequestHead(method: "GET", target: "/api/v1/openapi.json")) else {
            Issue.record("not the document")
            return
        }
        guard case .ticket = try APIRoute(APIRequestHead(method: "POST", target: "/api/v1/ws-ticket?x=1")) else {
            Issue.record("not the ticket")
            return
        }
    }

    @Test(
        "an unknown path is not found",
        arguments: [
            "", "/", "x", "messages/", "/messages", "messages//send", "messages/send/", "messages/send/now",
            "./messages",
            "messages/..", "messages/nothing", "messages/se%2Fnd", "mess%C3%A4ges", "messages%", "messages%4", "%zz",
            "conversations/x/read/y/z", "users/a%2Fb/public-key", "users/ä/public-key", "users//public-key",
            "conversations/x/messages", "conversations/\(APISample.conversation.uppercased())/messages",
        ])
    func unknown(path: String) throws {
        for method in ["GET", "POST"] {
            let status = try APISample.refusal(method, path)?.status
            #expect(status == 404 || status == 405 && method == "POST", "\(method) \(path)")
        }
    }

    @Test(
        "only paths below the base are the API's",
        arguments: ["", "*", "/", "/api/v1", "/api/v10/x", "api/v1/messages"])
    func base(target: String) {
        #expect(throws: APIRefusal.self) { try APIRoute(APIRequestHead(method: "POST", target: target)) }
    }

    @Test(
        "a method that a path does not have names those that it has",
        arguments: [
            ("PUT", "messages", "POST"), ("GET", "messages", "POST"), ("DELETE", "conversations", "GET, POST"),
            ("post", "messages", "POST"), ("GET", "messages/send", "POST"), ("GET", "accounts/sign-in", "POST"),
            ("HEAD", "users/me/public-key", "GET, POST"),
            ("POST", "users/bob/public-key", "GET"), ("TRACE", "openapi.json", "GET"), ("GET", "ws-ticket", "POST"),
            ("", "conversations/\(APISample.conversation)/read", "POST"),
        ])
    func methods(method: String, path: String, allow: String) throws {
        let refusal = try #require(try APISample.refusal(method, path))
        #expect(refusal.status == 405 && refusal.allow == allow)
        #expect(refusal.response.headers.contains { $0.name == "Allow" && $0.value == allow })
    }

    @Test("a device without a name in the path is the caller's user")
    func me() throws {
        #expect(try APISample.call("GET", "users/me/public-key").text == #"{"user_id":"alice"}"#)
        #expect(try APISample.call("GET", "users/bob/public-key").text == #"{"user_id":"bob"}"#)
    }

    @Test("any target is answered")
    func anything() {
        var random = Seeded(stream: 2601)
        for _ in 0..<2000 {
            let target = "/api/v1/" + String(decoding: random.bytes(0...60), as: UTF8.self)
            let head = APIRequestHead(method: random.chance(0.5) ? "GET" : "POST", target: target)
            guard case .call(let call)? = try? APIRoute(head) else { continue }
            _ = try? call.call(body: random.bytes(0...40), by: APISample.caller)
        }
    }
}
