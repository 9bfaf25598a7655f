import MQTTWire
import ParleyProtocol
import TestSupport
import Testing

extension GatewayTests.WebTests {
    /// Statuses, errors and repeats of the API.
    @Suite("HTTP")
    final class HTTPErrorTests: DoorSuite {
        @Test("each refusal has its status and the gateway's error")
        func refusals() throws {
            let people = try gateway.people(2)
            let alice = people[0]
            let other = people[1].username
            let unknown = JSON.string(newID())
            let cases: [(String, String, JSON?, Int, String)] = [
                ("GET", "conversations?limit=0", nil, 400, "bad_request"),
                ("GET", "conversations?limit=x", nil, 400, "bad_request"),
                ("POST", "conversations", ["type": "direct"], 400, "bad_request"),
                ("POST", "messages", [:], 400, "bad_request"),
                ("GET", "users/no-such-user/public-key", nil, 404, "not_found"),
                ("GET", "users/\(other)/public-key", nil, 404, "not_found"),
                ("GET", "conversations/\(newID())/messages", nil, 404, "not_found"),
                ("POST", "conversations/\(newID())/read", ["message_id": unknown], 404, "not_found"),
                ("GET", "nothing", nil, 404, "not_found"), ("GET", "messages", nil, 405, "bad_request"),
                ("POST", "admin/add-user", ["user_id": "eve"], 403, "forbidden"),
                ("POST", "messages/send", message(newID()), 404, "not_found"),
            ]
            for (method, path, body, status, code) in cases {
                let answer = try door.ask(method, "/api/v1/" + path, body, as: alice)
                #expect(
                    answer.status == status && answer.code == code, "\(method) \(path): \(answer.status) \(answer.json)"
                )
                #expect(answer.json["error"]["message"].text?.isEmpty == false)
                #expect(
                    answer.fields["content-type"] == "application/json" && answer.fields["cache-control"] == "no-store")
            }
            let form = try door.connect()
            try form.send(
                "POST /api/v1/profile/get HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(alice.password)\r\n"
                    + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}")
            #expect(try form.answer()?.status == 415)
        }

        @Test(
            "who shows no token, or one that is none, is 401",
            arguments: [
                nil, "", "Bearer", "Bearer ", "Bearer x", "Basic YTpi", "Bearer a.b.c", "bearer  ..",
                "Bearer \(String(repeating: "x", count: 8000))",
            ])
        func unauthenticated(authorization: String?) throws {
            for path in ["profile/get", "ws-ticket"] {
                let answer = try door.ask(
                    "POST", "/api/v1/\(path)", [:], authorization.map { ["Authorization: \($0)"] } ?? [])
                #expect(answer.status == 401 && answer.code == "unauthenticated")
                #expect(answer.fields["www-authenticate"] == "Bearer")
            }
        }

        @Test("a token with another's signature, or of another gateway, is 401")
        func forged() throws {
            let people = try gateway.people(2)
            let parts = people.map { $0.password.split(separator: ".", omittingEmptySubsequences: false) }
            var forged = people[0]
            forged = DeviceCredentials(
                username: forged.username, clientID: forged.clientID,
                password: (parts[0].dropLast() + parts[1].suffix(1)).joined(separator: "."), expiresAt: forged.expiresAt
            )
            #expect(try door.ask("POST", "/api/v1/profile/get", [:], as: forged).status == 401)
            #expect(try door.ask("POST", "/api/v1/profile/get", [:], as: people[0]).status == 200)
        }

        @Test("a revoked token is 401 from then on, on a connection that is there as well")
        func revoked() throws {
            let credentials = try gateway.person()
            let connection = try door.connect()
            let request = TestDoor.request("POST", "/api/v1/profile/get", [], token: credentials.password)
            try connection.send(request)
            #expect(try connection.answer()?.status == 200)
            let console = try gateway.operatorClient()
            defer { console.disconnect() }
            try console.accepted(
                "admin/revoke-device", ["user_id": .string(credentials.username), "device_id": "phone"])
            // The plugin ends the door's connection within its interval of looking.
            try eventually("401") { () -> Bool? in
                try connection.send(request)
                return try connection.answer()?.status == 401 ? true : nil
            }
            for _ in 0..<3 { #expect(try door.ask("POST", "/api/v1/profile/get", [:], as: credentials).status == 401) }
        }

        @Test("the same key makes a message once, and another content under it is a conflict")
        func idempotency() throws {
            let (alice, bob, conversation) = try gateway.pair()
            let body = message(conversation, ["message_type": "text"]).without("id")
            let key = ["Idempotency-Key: order-1"]
            let first = try door.ask("POST", "/api/v1/messages", body, as: alice.credentials, key)
            let second = try door.ask("POST", "/api/v1/messages", body, as: alice.credentials, key)
            #expect(first.status == 201 && second.status == 201 && first.json == second.json)
            let other = message(conversation).without("id")
            let conflict = try door.ask("POST", "/api/v1/messages", other, as: alice.credentials, key)
            #expect(conflict.status == 409 && conflict.code == "conflict")
            // Another device's key is another.
            let bobs = try door.ask("POST", "/api/v1/messages", body, as: bob.credentials, key)
            #expect(bobs.status == 201 && bobs.json["id"] != first.json["id"])
            let history = try bob.accepted("history/get", ["conversation_id": .string(conversation)])
            #expect(history["messages"].elements.count == 2)
            for key in ["a b", "ä", String(repeating: "x", count: 256)] {
                let answer = try door.ask(
                    "POST", "/api/v1/messages", body, as: alice.credentials, ["Idempotency-Key: \(key)"])
                #expect(answer.status == 400, "\(key)")
            }
        }

        @Test("requests whose connections are cut before the answer, sent again, make nothing twice")
        func cutConnections() throws {
            let (alice, bob, conversation) = try gateway.pair()
            let body = message(conversation).without("id")
            let keys = (0..<20).map { "cut-\($0)" }
            for key in keys {
                let connection = try door.connect()
                try connection.send(
                    TestDoor.request(
                        "POST", "/api/v1/messages", body.bytes, token: alice.credentials.password,
                        ["Idempotency-Key: \(key)"]))
                connection.close()
            }
            var ids: Set<JSON> = []
            for key in keys {
                let answer = try door.ask(
                    "POST", "/api/v1/messages", body, as: alice.credentials, ["Idempotency-Key: \(key)"])
                #expect(answer.status == 201)
                ids.insert(answer.json["id"])
            }
            let history = try bob.accepted("history/get", ["conversation_id": .string(conversation), "limit": 100])
            #expect(history["messages"].elements.count == keys.count)
            #expect(Set(history["messages"].elements.map { $0["id"] }) == ids)
        }

        @Test("pages of this origin may ask, those of others get nothing")
        func origins() throws {
            let alice = try gateway.person()
            let path = "/api/v1/profile/get"
            let own = try door.ask("POST", path, [:], as: alice, ["Origin: https://door.example"])
            #expect(own.status == 200 && own.fields["access-control-allow-origin"] == "https://door.example")
            for origin in [
                "https://evil.example", "null", "https://door.example.evil", "https://evil.door.example",
                "door.example", "://",
            ] {
                let answer = try door.ask("POST", path, [:], as: alice, ["Origin: \(origin)"])
                #expect(answer.status == 403 && answer.fields["access-control-allow-origin"] == nil, "\(origin)")
                let preflight = try door.ask(
                    "OPTIONS", path, nil, ["Origin: \(origin)", "Access-Control-Request-Method: POST"])
                #expect(preflight.status == 403 && preflight.fields["access-control-allow-origin"] == nil, "\(origin)")
            }
            let apps = try TestDoor(gateway, ["--origin", "https://app.example"])
            let fields = ["Origin: https://app.example", "Access-Control-Request-Method: POST"]
            let preflight = try apps.ask("OPTIONS", path, nil, fields)
            #expect(preflight.status == 204)
            #expect(preflight.fields["access-control-allow-origin"] == "https://app.example")
            #expect(preflight.fields["access-control-allow-headers"]?.contains("Authorization") == true)
            #expect(preflight.fields["vary"] == "Origin")
            #expect(try apps.ask("POST", path, [:], as: alice, fields).status == 200)
        }
    }
}
