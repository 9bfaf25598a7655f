import ParleyProtocol
import TestSupport
import Testing

@Suite("What requests take and what they refuse")
struct RequestRefusalTests {
    /// The code that a payload is refused with; `nil` if it is taken.
    static func refusal(_ kind: any Request.Type, _ payload: String) throws -> Rejection? {
        let object = try JSONObject(payload)
        do throws(Rejection) {
            _ = try object.requestID()
            _ = try kind.init(members: object)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "the required fields are enough, in any order, and unknown ones are passed over",
        arguments: OperationTable.all)
    func required(kind: any Request.Type) throws {
        let payload = RequestField.payload(kind)
        #expect(try Self.refusal(kind, payload) == nil)
        let unknown = #","unknown":{"a":[1,null,"x",{"b":1e999}]},"ID":1,"Limit":"x","":[]"#
        #expect(try Self.refusal(kind, RequestField.payload(kind, more: unknown)) == nil)
        let reversed = RequestField.of(kind).reversed().filter(\.isRequired).compactMap { field in
            field.form.good.first.map { #""\#(field.name)" : \#($0)"# }
        }
        #expect(try Self.refusal(kind, " { \(reversed.joined(separator: " ,\n")) } ") == nil)
    }

    @Test("a required field that is missing or null is a bad request that names it", arguments: OperationTable.all)
    func missing(kind: any Request.Type) throws {
        for field in RequestField.of(kind) where field.isRequired {
            for payload in [
                RequestField.payload(kind, without: field.name),
                RequestField.payload(kind, without: field.name, more: #","\#(field.name)":null"#),
            ] {
                let refusal = try #require(try Self.refusal(kind, payload), "\(kind.operation): \(field)")
                #expect(refusal.code == .badRequest)
                #expect(refusal.message.contains(field.name))
            }
        }
    }

    @Test(
        "every value that a field may hold is taken, and an optional one may be null", arguments: OperationTable.all)
    func goodValues(kind: any Request.Type) throws {
        for field in RequestField.of(kind) {
            for json in field.form.good + (field.isRequired || !field.isNullable ? [] : ["null"]) {
                let payload = RequestField.payload(
                    kind, without: field.name, more: #"\#(field.companions),"\#(field.name)":\#(json)"#)
                let refusal = try Self.refusal(kind, payload)
                #expect(refusal == nil, "\(kind.operation): \(field): \(json.prefix(80))")
            }
        }
    }

    @Test("every other value is refused with the code that protocol §4 names", arguments: OperationTable.all)
    func badValues(kind: any Request.Type) throws {
        for field in RequestField.of(kind) {
            for (json, code) in field.form.bad {
                let payload = RequestField.payload(
                    kind, without: field.name, more: #"\#(field.companions),"\#(field.name)":\#(json)"#)
                let refusal = try Self.refusal(kind, payload)
                #expect(refusal?.code == code, "\(kind.operation): \(field): \(json.prefix(80))")
            }
        }
    }

    @Test("a field twice, plainly or in disguise, never reaches a request", arguments: OperationTable.all)
    func twice(kind: any Request.Type) throws {
        for field in RequestField.of(kind) {
            let json = try #require(field.form.good.first)
            let first = try #require(field.name.utf8.first)
            let disguised = #"\u00"# + String(first, radix: 16) + field.name.dropFirst()
            for name in [field.name, disguised] {
                let payload = #"{"\#(field.name)":\#(json),"\#(name)":\#(json)}"#
                #expect(throws: JSONError.duplicateKey) { try JSONObject(payload) }
            }
        }
    }

    @Test("request_id is text of at most 64 characters", arguments: OperationTable.all)
    func requestIDs(kind: any Request.Type) throws {
        let longest = String(repeating: "é", count: 64)
        for json in ["null", #""""#, #""r-1""#, #""\#(longest)""#, #""\ud83d\ude00\"\\""#] {
            #expect(
                try Self.refusal(kind, RequestField.payload(kind, more: #","request_id":\#(json)"#)) == nil, "\(json)")
        }
        for json in ["1", "true", "[]", "{}", #""\#(longest)x""#, #""a\u0000""#] {
            let refusal = try Self.refusal(kind, RequestField.payload(kind, more: #","request_id":\#(json)"#))
            #expect(refusal?.code == .badRequest, "\(json)")
        }
    }

    @Test("the fields of an operation's list are those that the tests hold to", arguments: OperationTable.all)
    func fields(kind: any Request.Type) throws {
        // What a push service needs depends on the provider; who renews need not say who they are.
        guard kind != RegisterPush.self, kind != RenewDevice.self else { return }
        let names = try kind.fields.map { $0.prefix { $0.isLetter || $0 == "_" } }
        #expect(Set(names).isSuperset(of: RequestField.of(kind).map { $0.name[...] }), "\(kind.operation)")
        let untested = Set(names).subtracting(RequestField.of(kind).map { $0.name[...] })
        #expect(untested.isSubset(of: ["user_id", "all"]), "\(kind.operation): \(untested)")
    }

    @Test("a nonce has the length that its suite says", arguments: ParleyProtocol.Suite.allCases)
    func nonces(suite: ParleyProtocol.Suite) throws {
        for length in [0, 1, 11, 12, 13, 23, 24, 25, 32] {
            let members =
                #","suite":"\#(suite.rawValue)","nonce":"\#(Base64.encode([UInt8](repeating: 1, count: length)))""#
            let fields = RequestField.of(SendMessage.self).filter {
                $0.isRequired && $0.name != "suite" && $0.name != "nonce"
            }
            let others = fields.compactMap { field in field.form.good.first.map { #""\#(field.name)":\#($0)"# } }
            let refusal = try Self.refusal(SendMessage.self, "{\(others.joined(separator: ","))\(members)}")
            #expect(refusal?.code == (length == suite.nonceLength ? nil : .badRequest), "\(length) bytes")
        }
    }

    @Test(
        "the form of old apps is sealed for one device: a list of keys is refused with it, by each request",
        arguments: [SendMessage.self, EditMessage.self, ReactToMessage.self] as [any Request.Type])
    func legacyRecipients(kind: any Request.Type) throws {
        let fields = RequestField.of(kind).filter { $0.isRequired && $0.name != "suite" && $0.name != "nonce" }
        let others = fields.compactMap { field in field.form.good.first.map { #""\#(field.name)":\#($0)"# } }
        let nonce = Base64.encode([UInt8](repeating: 1, count: 24))
        for (suite, isTaken) in [("nacl-box", true), ("legacy-nacl-box", false)] {
            let sealed = others + [#""suite":"\#(suite)""#, #""nonce":"\#(nonce)""#]
            for (keys, isListed) in [("null", false), ("[]", true)] {
                let members = (sealed + [#""recipient_keys":\#(keys)"#]).joined(separator: ",")
                let refusal = try Self.refusal(kind, "{\(members)}")
                #expect(refusal?.code == (isTaken || !isListed ? nil : .badRequest), "\(suite), \(keys)")
            }
        }
    }

    @Test("at most one of before, after and around; null is as if it were not there")
    func historyPositions() throws {
        func history(_ members: String) throws -> Rejection? {
            try Self.refusal(GetHistory.self, RequestField.payload(GetHistory.self, more: members))
        }
        for pair in [
            #","before":1,"after":2"#, #","before":1,"around":1"#, #","after":1,"around":"x""#,
            #","before":1,"after":1,"around":1"#,
        ] {
            #expect(try history(pair)?.code == .badRequest)
        }
        #expect(try history(#","before":1,"after":null,"around":null"#) == nil)
    }

    @Test("more names than any group holds are group_full, for a direct conversation a bad request")
    func tooManyNames() throws {
        for (type, code) in [("group", ErrorCode.groupFull), ("direct", .badRequest)] {
            func refusal(_ count: Int) throws -> Rejection? {
                let names = (0..<count).map { #""u\#($0)""# }.joined(separator: ",")
                return try Self.refusal(CreateConversation.self, #"{"type":"\#(type)","participant_ids":[\#(names)]}"#)
            }
            #expect(try refusal(128) == nil)
            #expect(try refusal(129)?.code == code)
            #expect(try refusal(20_000)?.code == code)
        }
    }

    @Test("a signature without the key that made it is refused")
    func loneSignature() throws {
        let signature = #","signature":"\#(Base64.encode([UInt8](repeating: 1, count: 64)))""#
        #expect(
            try Self.refusal(PublishKeys.self, RequestField.payload(PublishKeys.self, more: signature))?.code
                == .badRequest)
    }

    @Test("an account key, a certificate and its time stand together, with a signing key; a reset takes all of them")
    func accountKeys() throws {
        func member(_ name: String, _ count: Int) -> String {
            #","\#(name)":"\#(Base64.encode([UInt8](repeating: 1, count: count)))""#
        }
        let all = [
            member("signing_key", 32), member("account_key", 32), member("certificate", 64),
            #","issued_at":"2026-01-15T09:30:00.000Z""#,
        ]
        func refusal(_ members: [String]) throws -> ErrorCode? {
            try Self.refusal(PublishKeys.self, RequestField.payload(PublishKeys.self, more: members.joined()))?.code
        }
        let reset = #","reset":true"#
        #expect(try refusal(all) == nil && refusal(all + [reset]) == nil && refusal([#","reset":false"#]) == nil)
        for index in all.indices {
            var some = all
            some.remove(at: index)
            #expect(try refusal(some) == .badRequest)
            #expect(try index == 0 || refusal([all[0], all[index]]) == .badRequest)
        }
        #expect(try refusal([all[0], reset]) == .badRequest && refusal([reset]) == .badRequest)
    }

    @Test("a display name is not empty, and a photo's URL is bounded in bytes")
    func profileTexts() throws {
        #expect(try Self.refusal(ProfileChange.self, #"{"display_name":""}"#)?.code == .badRequest)
        #expect(
            try Self.refusal(ProfileChange.self, #"{"photo_url":"\#(String(repeating: "é", count: 1024))"}"#) == nil)
        let long = #"{"photo_url":"\#(String(repeating: "é", count: 1025))"}"#
        #expect(try Self.refusal(ProfileChange.self, long)?.code == .badRequest)
    }

    @Test("the bounds are those of protocol §4")
    func limits() {
        #expect(Limits.requestBytes == 262_144)
        #expect(Limits.packetBytes == 393_216)
        #expect(Limits.jsonDepth == 16)
        #expect(Limits.contentBytes == 65_536)
        #expect(Limits.minimumContentBytes == 16)
        #expect(Limits.recipientKeys == 128)
        #expect(Limits.pageItems == 200)
        #expect(Limits.pageBytes == 196_608)
        #expect(Limits.groupMembers == 10)
        #expect(Limits.nameCharacters == 100)
        #expect(Limits.requestIDCharacters == 64)
        #expect(Limits.expirySeconds == 1...31_536_000)
        #expect(Limits.typingMilliseconds == 5000)
    }
}
