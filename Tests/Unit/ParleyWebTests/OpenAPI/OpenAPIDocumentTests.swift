import ParleyProtocol
import ParleyWeb
import TestSupport
import Testing

@Suite("The OpenAPI document")
struct OpenAPIDocumentTests {
    private static let document = Result { try SchemaCheck(document: JSONElement(OpenAPIDocument.make())) }

    private let check: SchemaCheck
    private let paths: JSONElement

    init() throws {
        check = try Self.document.get()
        paths = try #require(check.document["paths"])
    }

    private func method(_ name: String, _ path: String) throws -> JSONElement {
        try #require(paths["/api/v1/" + path]?[name.lowercased()], "\(name) \(path)")
    }

    private func schema(of content: JSONElement?) throws -> JSONElement {
        try #require(content?["content"]?["application/json"]?["schema"])
    }

    private func body(_ name: String, _ path: String) throws -> JSONElement {
        try schema(of: method(name, path)["requestBody"])
    }

    private static let offered = OperationTable.forClients

    @Test("it is served as it is made")
    func served() throws {
        let bytes = try OpenAPIDocument.make()
        #expect(OpenAPIDocument.response == APIResponse(status: 200, body: bytes))
    }

    @Test("every operation is in it, and nothing else beside the resources")
    func operations() throws {
        for request in Self.offered { _ = try method("POST", "\(request.operation)") }
        let resources = [
            ("GET", "openapi.json"), ("POST", "ws-ticket"), ("POST", "users/me/public-key"),
            ("GET", "users/me/public-key"), ("GET", "users/{id}/public-key"), ("POST", "conversations"),
            ("GET", "conversations"), ("POST", "messages"), ("GET", "conversations/{id}/messages"),
            ("POST", "conversations/{id}/read"), ("POST", "blobs"), ("HEAD", "blobs/{id}"), ("PATCH", "blobs/{id}"),
            ("GET", "blobs/{id}"), ("DELETE", "blobs/{id}"),
        ]
        for (name, path) in resources { _ = try method(name, path) }
        #expect(paths.members.flatMap(\.value.members).count == Self.offered.count + resources.count)
    }

    @Test("what people ask who are not signed in needs no token and no address, and all else a token")
    func security() throws {
        for request in Self.offered {
            let method = try method("POST", "\(request.operation)")
            #expect((method["security"] != nil) == (request.askers == .doors), "\(request.operation)")
            guard request.askers == .doors else { continue }
            #expect(method["security"]?.elements.isEmpty == true)
            #expect(try body("POST", "\(request.operation)")["properties"]?["address"] == nil)
        }
    }

    @Test("what it says of a method is what the API does")
    func routes() throws {
        // Blobs are no part of the API that answers here: see BlobDoorTests.
        for path in paths.members where !["/api/v1/blobs", "/api/v1/blobs/{id}"].contains(path.key) {
            let concrete = String(path.key.dropFirst("/api/v1/".count)).replacing("{id}", with: APISample.conversation)
            let methods = Set(path.value.members.map { $0.key.uppercased() })
            for name in ["GET", "POST", "PUT"] {
                let status = try APISample.refusal(name, concrete, #"{"public_key":"AAAA"}"#)?.status
                #expect((status == 405) == !methods.contains(name), "\(name) \(path.key)")
            }
        }
    }

    @Test("names are unique, and references point at something")
    func references() throws {
        let methods = paths.members.flatMap(\.value.members).map(\.value)
        let names = methods.compactMap { $0["operationId"]?.text }
        #expect(names.count == methods.count && Set(names).count == names.count)
        var found = 0
        func visit(_ element: JSONElement) throws {
            for member in element.members {
                if member.key == "$ref", let reference = member.value.text {
                    found += 1
                    _ = try check.resolve(reference)
                }
                try visit(member.value)
            }
            for element in element.elements { try visit(element) }
        }
        try visit(check.document)
        #expect(found > 500)
    }

    @Test("every refusal that there is, is among a method's responses", arguments: ErrorCode.allCases)
    func refusals(code: ErrorCode) throws {
        let response = APIResponse(
            Rejection(
                code, "Words.", retryAfterMilliseconds: 1,
                devices: .init(missing: [APISample.caller], extra: [])))
        for request in Self.offered {
            let responses = try #require(try method("POST", "\(request.operation)")["responses"])
            let reference = try #require(responses["\(response.status)"]?["$ref"]?.text)
            let error = try schema(of: check.resolve(reference))
            #expect(try check.problem(JSONElement(response.body), error) == nil)
            #expect(responses[request.hasReply ? "200" : "202"] != nil)
            #expect(responses["415"] != nil)
        }
    }

    @Test("sentences are of operations that there are")
    func summaries() throws {
        for request in Self.offered {
            let summary = try #require(try method("POST", "\(request.operation)")["summary"]?.text)
            #expect(
                summary.hasPrefix("\(request.operation)") == false && summary.hasSuffix("."), "\(request.operation)")
        }
    }

    // MARK: Requests

    @Test("what the gateway takes satisfies the schema", arguments: offered)
    func requests(request: any Request.Type) throws {
        let schema = try body("POST", "\(request.operation)")
        func expect(_ payload: String) throws {
            // Some fields exclude each other.
            guard try Self.refusal(request, payload) == nil else { return }
            let problem = try check.problem(JSONElement(payload), schema)
            #expect(problem == nil, "\(request.operation): \(problem ?? "") of \(payload.prefix(500))")
        }
        #expect(try Self.refusal(request, RequestField.payload(request)) == nil)
        try expect(RequestField.payload(request))
        try expect(RequestField.payload(request, more: #","unknown":{"a":[1]},"request_id":"r""#))
        for field in Self.fields(of: request) where "\(request.operation)/\(field)" != "messages/send/reply" {
            let others = RequestField.payload(request, without: field.name)
            for value in field.form.good + (field.isRequired || schema["dependentRequired"] != nil ? [] : ["null"]) {
                try expect(Self.payload(others, field, value))
            }
        }
    }

    @Test("what the gateway refuses the schema refuses too, but for what it has no words for", arguments: offered)
    func refusedRequests(request: any Request.Type) throws {
        let schema = try body("POST", "\(request.operation)")
        for field in Self.fields(of: request) {
            let others = RequestField.payload(request, without: field.name)
            if field.isRequired, !(field.name == "id" && request.namesWhatItMakes) {
                #expect(try check.problem(JSONElement(others), schema) != nil, "\(request.operation) without \(field)")
            }
            // Bounds in bytes, which are too large, have no words.
            for (value, code) in field.form.bad where code != .tooLarge {
                let payload = Self.payload(others, field, value)
                guard let element = try? JSONElement(payload), try Self.refusal(request, payload) != nil,
                    try check.problem(element, schema) == nil
                else { continue }
                #expect(
                    Self.isUnsayable(field, value), "\(request.operation) takes \(field) \(value.prefix(200))")
            }
        }
    }

    /// Those that a client fills in.
    private static func fields(of request: any Request.Type) -> [RequestField] {
        RequestField.of(request).filter { request.askers != .doors || $0.name != ClientNetwork.field }
    }

    /// What the schema has no words for: calendars, one device or blob named twice, and what one emoji is.
    private static func isUnsayable(_ field: RequestField, _ value: String) -> Bool {
        switch field.name {
        case "recipient_keys": value.matches(of: /"user_id":"u1"/).count == 2
        case "blobs":
            Set(value.dropFirst().dropLast().split(separator: ",")).count < value.split(separator: ",").count
        case "muted_until", "issued_at", "completed_at", "date", "week":
            ["2026-02-30", "2026-02-29", "2025-W53"].contains { value.contains($0) }
        case "emoji": true
        default: false
        }
    }

    /// The other fields, and this one with its companions.
    private static func payload(_ others: String, _ field: RequestField, _ value: String) -> String {
        others.dropLast() + (others == "{}" ? "" : ",") + #""\#(field)":\#(value)"# + field.companions + "}"
    }

    private static func refusal(_ request: any Request.Type, _ payload: String) throws -> Rejection? {
        do {
            _ = try request.init(members: JSONObject(parsing: Array(payload.utf8)))
            return nil
        } catch let rejection as Rejection {
            return rejection
        }
    }

    @Test("a message of an older app needs neither id nor suite, and has its nonce")
    func olderMessage() throws {
        let schema = try body("POST", "messages")
        func problem(_ nonce: Int, _ more: String = "") throws -> String? {
            try check.problem(
                JSONElement(
                    #"{"conversation_id":"\#(APISample.conversation)","message_type":"text","#
                        + #""encrypted_content":"AAAAAAAAAAAAAAAAAAAAAA==","#
                        + #""nonce":"\#(Base64.encode([UInt8](repeating: 0, count: nonce)))"\#(more)}"#), schema)
        }
        #expect(try problem(24, #","suite":"nacl-box""#) == nil)
        #expect(try problem(12, #","suite":"nacl-box""#) != nil)
        #expect(try problem(12, #","suite":"x25519-hkdf-sha256-aes256gcm""#) == nil)
        #expect(try problem(24, #","suite":"nacl-box","reply":"message""#) == nil)
        #expect(try problem(24, #","suite":"nacl-box","reply":"event""#) != nil)
        if Suite(rawValue: "legacy-nacl-box") != nil { #expect(try problem(24) == nil && problem(12) != nil) }
    }

    // MARK: Replies

    @Test("the API's own replies satisfy their schemas")
    func replies() throws {
        let time = try #require(Timestamp("2026-01-15T09:30:00.000Z"))
        let record = try MessageRecord(
            SendMessage(
                id: #require(MessageID(APISample.message)),
                conversation: #require(ConversationID(APISample.conversation)),
                type: .text, suite: .naclBox, content: [UInt8](repeating: 1, count: 16),
                nonce: [UInt8](repeating: 1, count: 24)),
            sender: APISample.caller, epoch: "e", seq: 1, createdAt: time)
        let keys = UserKeys(
            user: APISample.caller.user,
            devices: [
                DeviceKeys(
                    device: APISample.caller.device, identityKey: [UInt8](repeating: 1, count: 32), signingKey: nil,
                    signature: nil, createdAt: time)
            ])
        let page = "conversations/\(APISample.conversation)/messages"
        let history = HistoryReply(
            messages: [record],
            summary: HistorySummary(
                hasMore: true, nextCursor: 1, epoch: "e", lastSeq: 1, foundOldest: false, foundNewest: true))
        let sent = SentMessage(id: record.id, epoch: "e", seq: 1, createdAt: time)
        func expect(_ method: String, _ path: String, _ template: String, _ body: String, _ reply: [UInt8]) throws {
            let response = try APISample.call(method, path, body).response(to: reply)
            let documented = try self.method(method, template)["responses"]?["\(response.status)"]
            let problem = try check.problem(JSONElement(response.body), schema(of: documented))
            #expect(problem == nil, "\(method) \(path): \(problem ?? "")")
        }
        func accepted(_ object: some GatewayObject) -> [UInt8] {
            APISample.accepted(String(decoding: object.json, as: UTF8.self))
        }
        let message =
            #"{"conversation_id":"\#(APISample.conversation)","message_type":"text","#
            + #""encrypted_content":"AAAAAAAAAAAAAAAAAAAAAA==","nonce":"\#(Base64.encode(Array(0..<24)))","#
            + #""expires_in":60}"#
        try expect("POST", "messages", "messages", message, accepted(sent))
        try expect("GET", page, "conversations/{id}/messages", "", accepted(history))
        try expect("GET", "users/bob/public-key", "users/{id}/public-key", "", accepted(keys))
        try expect("POST", "history/get", "history/get", "", accepted(history))
        try expect("POST", "keys/get", "keys/get", "", accepted(keys))
        try expect("POST", "messages/send", "messages/send", "{}", accepted(sent))
        try expect("POST", "messages/edit", "messages/edit", "{}", accepted(sent))
    }
}
