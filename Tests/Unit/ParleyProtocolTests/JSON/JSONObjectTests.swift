import Foundation
import ParleyProtocol
import TestSupport
import Testing

@Suite("JSON objects of requests", .seeded)
struct JSONObjectTests {
    static func fault(_ bytes: [UInt8]) -> JSONError? {
        do throws(JSONError) {
            _ = try JSONObject(parsing: bytes)
            return nil
        } catch {
            return error
        }
    }

    static func fault(_ text: String) -> JSONError? { fault(Array(text.utf8)) }

    @Test(
        "objects with anything that JSON allows in them are taken",
        arguments: [
            "{}", " {} ", "\t\r\n{ }\n", #"{"":1}"#, #"{"a":{"a":{"a":null}},"b":[{"a":1},{"a":1}]}"#,
            #"{"a":-0,"b":0.5e-7,"c":1E+400,"d":123456789012345678901234567890}"#, #"{"a":"\ud83d\ude00"}"#,
            #"{"a":"\"\\\/\b\f\n\r\t\u0000\u00e9\uFFFF"}"#, "{\"a\":\"\u{7F}\u{2028}\u{FFFE}\u{10FFFF}\"}",
            #"{"a":1,"A":1}"#, "{\"\u{E9}\":1,\"e\u{301}\":1}", #"{"a" : [ ] , "b" : [ 1 , 2 ] }"#,
        ])
    func taken(text: String) { #expect(Self.fault(text) == nil) }

    static let refusals: [(String, JSONError)] = [
        ("", .empty), (" \n\t ", .empty), ("[]", .notAnObject), ("null", .notAnObject), ("1", .notAnObject),
        (#""{}""#, .notAnObject), ("\u{FEFF}{}", .notAnObject), ("NaN", .notAnObject), ("\u{0}{}", .notAnObject),
        ("\u{A0}{}", .notAnObject), ("{}{}", .trailing), ("{},", .trailing), ("{} x", .trailing),
        ("{}\u{0}", .trailing),
        ("{}\u{FEFF}", .trailing), ("{}//c", .trailing), ("{", .truncated), (#"{"a""#, .syntax),
        (#"{"a":"#, .truncated),
        (#"{"a":1"#, .truncated), (#"{"a":1,"#, .truncated), (#"{"a"#, .truncated), (#"{"a":"b"#, .truncated),
        (#"{"a":"b\"#, .truncated), (#"{"a":[1"#, .truncated), (#"{"a":1,}"#, .syntax), ("{,}", .syntax),
        (#"{,"a":1}"#, .syntax), (#"{"a":[1,]}"#, .syntax), (#"{"a":[,1]}"#, .syntax), (#"{"a":[1 2]}"#, .syntax),
        (#"{"a" 1}"#, .syntax), (#"{"a"=1}"#, .syntax), (#"{"a":1 "b":2}"#, .syntax), (#"{"a":1;"b":2}"#, .syntax),
        ("{a:1}", .syntax), ("{'a':1}", .syntax), ("{1:1}", .syntax), ("{null:1}", .syntax), (#"{"a":}"#, .syntax),
        (#"{"a":NaN}"#, .syntax), (#"{"a":Infinity}"#, .syntax), (#"{"a":-Infinity}"#, .syntax), (#"{"a":-}"#, .syntax),
        (#"{"a":+1}"#, .syntax), (#"{"a":01}"#, .syntax), (#"{"a":-01}"#, .syntax), (#"{"a":1.}"#, .syntax),
        (#"{"a":.5}"#, .syntax), (#"{"a":1e}"#, .syntax), (#"{"a":1e+}"#, .syntax), (#"{"a":0x1}"#, .syntax),
        (#"{"a":1_000}"#, .syntax), (#"{"a":１}"#, .syntax), (#"{"a":True}"#, .syntax), (#"{"a":tru}"#, .syntax),
        (#"{"a":nul}"#, .syntax), (#"{"a":truex}"#, .syntax), (#"{"a":undefined}"#, .syntax), (#"{"a":'b'}"#, .syntax),
        (#"{"a":"\x"}"#, .syntax), (#"{"a":"\u12"}"#, .syntax), (#"{"a":"\u12g4"}"#, .syntax),
        (#"{"a":"\U0041"}"#, .syntax),
        (#"{"a":"\'"}"#, .syntax), ("{\"a\":\"\n\"}", .controlCharacter), ("{\"a\":\"\u{0}\"}", .controlCharacter),
        ("{\"a\u{1F}\":1}", .controlCharacter), (#"{"a":"\ud800"}"#, .loneSurrogate),
        (#"{"a":"\udc00"}"#, .loneSurrogate),
        (#"{"a":"\ud800\ud800"}"#, .loneSurrogate), (#"{"a":"\ud800x"}"#, .loneSurrogate),
        (#"{"a":"\ud800\n"}"#, .loneSurrogate), (#"{"a":"\udc00\ud800"}"#, .loneSurrogate),
        (#"{"\uDFFF":1}"#, .loneSurrogate),
        (#"{"a":1,"a":1}"#, .duplicateKey), (#"{"a":1,"b":2,"a":null}"#, .duplicateKey),
        (#"{"":1,"":1}"#, .duplicateKey),
        (#"{"a":1,"\u0061":1}"#, .duplicateKey), (#"{"\u0061":1,"a":1}"#, .duplicateKey),
        (#"{"\u0061":1,"\u0061":1}"#, .duplicateKey), (#"{"a/b":1,"a\/b":1}"#, .duplicateKey),
        (#"{"\u00E9":1,"\u00e9":1}"#, .duplicateKey), ("{\"\\u00E9\":1,\"\u{E9}\":1}", .duplicateKey),
        ("{\"\\ud83d\\ude00\":1,\"\u{1F600}\":1}", .duplicateKey), (#"{"x":{"a":1,"a":1}}"#, .duplicateKey),
        (#"{"x":[[{"a":1,"\u0061":1}]]}"#, .duplicateKey),
    ]

    @Test("whatever protocol §1 refuses is refused, and for what it is", arguments: refusals)
    func refused(text: String, fault: JSONError) { #expect(Self.fault(text) == fault) }

    @Test("bytes that are not UTF-8 are refused, wherever they stand")
    func encodings() {
        let bad: [[UInt8]] = [
            [0xFF], [0xFE], [0x80], [0xC3], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF0, 0x80, 0x80, 0xAF], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x28, 0xA1],
        ]
        for bytes in bad {
            #expect(Self.fault(Array(#"{"a":""#.utf8) + bytes + Array(#""}"#.utf8)) == .notUTF8)
            #expect(Self.fault(Array(#"{""#.utf8) + bytes + Array(#"":1}"#.utf8)) == .notUTF8)
            #expect(Self.fault(Array("{} ".utf8) + bytes) == .notUTF8)
        }
        let text = #"{"a":1}"#
        #expect(Self.fault([0xFF, 0xFE] + text.utf8.flatMap { [$0, 0] }) != nil)
        #expect(Self.fault(text.utf8.flatMap { [0, $0] }) != nil)
    }

    @Test("16 levels of nesting are taken and 17 refused, of objects, arrays or both")
    func depth() {
        func nested(_ count: Int, _ open: (Int) -> String, _ close: (Int) -> String) -> String {
            (0..<count).map(open).joined() + "1" + (0..<count).reversed().map(close).joined()
        }
        let shapes: [(open: (Int) -> String, close: (Int) -> String)] = [
            ({ _ in #"{"a":"# }, { _ in "}" }),
            ({ $0 == 0 ? #"{"a":"# : "[" }, { $0 == 0 ? "}" : "]" }),
            ({ $0 % 2 == 0 ? #"{"a":"# : "[" }, { $0 % 2 == 0 ? "}" : "]" }),
        ]
        for shape in shapes {
            #expect(Self.fault(nested(16, shape.open, shape.close)) == nil)
            #expect(Self.fault(nested(17, shape.open, shape.close)) == .depth)
        }
        #expect(Self.fault(#"{"a":"# + String(repeating: "[", count: 250_000)) == .depth)
        #expect(Self.fault(String(repeating: #"{"a":"#, count: 50_000)) == .depth)
        #expect(Self.fault(#"{"a":[\#(String(repeating: "[],", count: 80_000))[]]}"#) == nil)
    }

    @Test("a duplicate is found among few keys and among thousands, however spelled")
    func manyKeys() {
        for count in [1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 5_000] {
            let keys = (0..<count).map { #""k\#($0)":1"# }
            #expect(Self.fault("{\(keys.joined(separator: ","))}") == nil)
            for duplicate in [#""k0":2"#, #""\u006b0":2"#, #""k\#(count - 1)":2"#] {
                #expect(Self.fault("{\((keys + [duplicate]).joined(separator: ","))}") == .duplicateKey)
                #expect(Self.fault("{\(([duplicate] + keys).joined(separator: ","))}") == .duplicateKey)
            }
        }
    }

    @Test("a part of a buffer is read as if it stood alone")
    func ranges() throws {
        let text = #"{"a":"é","limit":1}"#
        let bytes = Array("\u{FEFF}}\"".utf8) + Array(text.utf8) + Array("\"}".utf8)
        let range = 5..<(5 + text.utf8.count)
        let object = try JSONObject(parsing: range, of: bytes)
        #expect(try object.text("a", maximum: 1) == "é")
        #expect(try object.integer("limit", in: 1...1) == 1)
        for shorter in range.dropLast().indices.dropFirst() {
            #expect(throws: JSONError.self) { try JSONObject(parsing: range.lowerBound..<shorter, of: bytes) }
        }
    }

    @Test("what Foundation encodes is taken, and its texts are read as they were")
    func foundationTexts() throws {
        var generator = Seeded(stream: 10)
        for _ in 0..<1_000 {
            let text = generator.text(0...40)
            var options: JSONSerialization.WritingOptions = []
            if generator.chance(0.5) { options.insert(.withoutEscapingSlashes) }
            if generator.chance(0.5) { options.insert(.prettyPrinted) }
            let data = try JSONSerialization.data(
                withJSONObject: ["text": text, generator.text(1...9): text], options: options)
            let object = try JSONObject(parsing: Array(data))
            let read = try #require(try object.text("text", maximum: 40))
            #expect(read.utf8.elementsEqual(text.utf8))
        }
    }

    @Test("every scalar is read from its escapes, in the BMP from one and beyond it from two")
    func escapedScalars() throws {
        for value in sequence(first: UInt32(1), next: { $0 < 0x10FFFF ? min($0 + 97, 0x10FFFF) : nil }) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let escapes = String(scalar).utf16.map { #"\u"# + String(0x10000 + Int($0), radix: 16).dropFirst() }
                .joined()
            let read = try JSONObject(#"{"a":"x\#(escapes)y"}"#).text("a", maximum: 3)
            #expect(read?.unicodeScalars.elementsEqual(["x", scalar, "y"]) == true, "U+\(String(value, radix: 16))")
        }
    }

    @Test("a text is bounded in Unicode scalars and holds no U+0000")
    func texts() throws {
        let name = String(repeating: "\u{1F600}", count: 100)
        #expect(try JSONObject(#"{"name":"\#(name)"}"#).text("name", maximum: 100) == name)
        #expect(throws: Rejection.self) { try JSONObject(#"{"name":"\#(name)x"}"#).text("name", maximum: 100) }
        let escaped = String(repeating: #"\ud83d\ude00"#, count: 100)
        #expect(try JSONObject(#"{"name":"\#(escaped)"}"#).text("name", maximum: 100) == name)
        #expect(throws: Rejection.self) { try JSONObject(#"{"name":"\#(escaped)x"}"#).text("name", maximum: 100) }
        #expect(throws: Rejection.self) { try JSONObject(#"{"name":"a\u0000b"}"#).text("name", maximum: 100) }
        #expect(try JSONObject(#"{"name":""}"#).text("name", maximum: 0) == "")
    }

    @Test(
        "what is no time is refused as one, of whatever type it is, with the form by an example",
        arguments: [
            "1768469400", "true", "[]", #""tomorrow""#, #""2026-01-15T09:30:00Z""#, #""2026-01-15T09:30:00.0000Z""#,
        ])
    func times(value: String) throws {
        let object = try JSONObject(
            parsing: Array(#"{"at":\#(value),"then":"2026-01-15T09:30:00.000Z","null":null}"#.utf8))
        let refusal = #expect(throws: Rejection.self) { try Timestamp.read("at", of: object) }
        #expect(refusal?.code == .badRequest)
        #expect(refusal?.message.hasSuffix("such as 2026-01-15T09:30:00.000Z") == true)
        #expect(try Timestamp.read("then", of: object)?.description == "2026-01-15T09:30:00.000Z")
        #expect(try Timestamp.read("null", of: object) == nil)
        #expect(try Timestamp.read("absent", of: object) == nil)
    }

    @Test("fields are found by what their keys mean, escaped or not")
    func escapedKeys() throws {
        let object = try JSONObject(#"{"\u0061\u0062":true,"c\/d":"\u0078","e":null}"#)
        #expect(try object.bool("ab") == true)
        #expect(try object.text("c/d", maximum: 1) == "x")
        #expect(
            object.has("ab") && !object.has("e") && object.isNull("e") && !object.isNull("ab") && !object.isNull("f"))
        #expect(try object.bool("AB") == nil)
    }
}
