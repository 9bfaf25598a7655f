import Foundation
import ParleyCoding
import ParleyProtocol
import Testing

@Suite("The general coder")
struct JSONCoderTests {
    static let credentials = DeviceCredentials(
        username: "alice", clientID: "alice:phone", password: "a/b.c-d",
        expiresAt: Timestamp(milliseconds: 1_768_469_400_000))

    @Test("credentials in a file are indented and sorted, with plain slashes and a line feed at the end")
    func file() throws {
        let bytes = try JSONCoder.encode(Self.credentials, .file)
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                {
                  "client_id" : "alice:phone",
                  "expires_at" : "2026-01-15T09:30:00.000Z",
                  "password" : "a/b.c-d",
                  "username" : "alice"
                }

                """)
        #expect(try JSONCoder.decode(DeviceCredentials.self, from: bytes) == Self.credentials)
    }

    @Test("what the gateway writes by hand and what the coder writes are the same credentials")
    func compact() throws {
        let byHand = JSONWriter.bytes { Self.credentials.write(to: &$0) }
        #expect(try JSONCoder.decode(DeviceCredentials.self, from: byHand) == Self.credentials)
        let compact = try JSONCoder.encode(Self.credentials)
        #expect(!compact.contains(UInt8(ascii: "\n")))
        #expect(try JSONCoder.decode(from: compact) == Self.credentials)
    }

    @Test(
        "what the protocol refuses is refused before Foundation, which would take some of it, sees it",
        arguments: [
            ("", JSONFault.empty), ("[]", .notAnObject), ("\u{FEFF}{}", .notAnObject),
            (#"{"a":1,"a":1}"#, .duplicateKey),
            (#"{"a":1,"\u0061":1}"#, .duplicateKey), (#"{"a":1,}"#, .syntax), (#"{"a":"\ud800"}"#, .loneSurrogate),
            (#"{"a":NaN}"#, .syntax), ("{}{}", .trailing), ("{", .truncated),
            (#"{"a":"# + String(repeating: "[", count: 100_000), .depth),
        ])
    func strict(text: String, fault: JSONFault) {
        #expect(throws: CodingFault.notJSON(fault)) {
            try JSONCoder.decode([String: Int].self, from: Array(text.utf8))
        }
    }

    @Test("a field of another type, missing, null or not valid is named, and its value is not")
    func mismatches() throws {
        let good = #"{"username":"alice","client_id":"c","password":"secret","expires_at":"2026-01-15T09:30:00.000Z"}"#
        let cases: [(String, String, CodingFault)] = [
            (#""alice""#, "7", .mismatch(path: "username", problem: "of another type")),
            (#""alice""#, "null", .mismatch(path: "username", problem: "null")),
            (#""username":"alice","#, "", .mismatch(path: "username", problem: "missing")),
            ("2026-01-15T09:30:00.000Z", "secret", .mismatch(path: "expires_at", problem: "not valid")),
        ]
        #expect(throws: Never.self) { try JSONCoder.decode(DeviceCredentials.self, from: Array(good.utf8)) }
        for (text, change, fault) in cases {
            let bytes = Array(good.replacing(text, with: change).utf8)
            #expect(throws: fault) { try JSONCoder.decode(DeviceCredentials.self, from: bytes) }
            #expect(!fault.description.contains("secret"))
        }
        #expect(throws: CodingFault.mismatch(path: "a.1", problem: "of another type")) {
            try JSONCoder.decode([String: [Int]].self, from: Array(#"{"a":[1,"x"]}"#.utf8))
        }
    }

    @Test("what JSON cannot say is refused by the name of its field")
    func unencodable() {
        #expect(throws: CodingFault.unencodable(path: "a.0")) { try JSONCoder.encode(["a": [Double.infinity]]) }
    }

    @Test("ids and times code themselves as their texts, and refuse what is none")
    func values() throws {
        struct Values: Codable, Equatable {
            let user: UserID
            let message: MessageID
            let time: Timestamp
        }
        let text =
            #"{"message":"0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d","time":"2026-01-15T09:30:00.000Z","user":"alice"}"#
        let values: Values = try JSONCoder.decode(from: Array(text.utf8))
        #expect(values.user.text == "alice" && values.time.milliseconds == 1_768_469_400_000)
        #expect(try JSONCoder.decode(from: JSONCoder.encode(values)) == values)
        for (good, bad) in [("alice", "a/b"), ("0b0c", "0B0C"), ("01-15", "02-30")] {
            #expect(throws: CodingFault.self) {
                try JSONCoder.decode(Values.self, from: Array(text.replacing(good, with: bad).utf8))
            }
        }
    }
}
