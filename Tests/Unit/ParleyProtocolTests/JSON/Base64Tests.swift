import Foundation
import ParleyProtocol
import TestSupport
import Testing

@Suite("Base64", .seeded)
struct Base64Tests {
    /// RFC 4648 §10, and the digits past the letters.
    static let vectors: [(text: String, bytes: [UInt8])] = [
        ("", []), ("Zg==", Array("f".utf8)), ("Zm8=", Array("fo".utf8)), ("Zm9v", Array("foo".utf8)),
        ("Zm9vYg==", Array("foob".utf8)), ("Zm9vYmE=", Array("fooba".utf8)), ("Zm9vYmFy", Array("foobar".utf8)),
        ("AAAA", [0, 0, 0]), ("////", [255, 255, 255]), ("+/+/", [0xFB, 0xFF, 0xBF]), ("/w==", [255]),
    ]

    @Test("the vectors of RFC 4648 §10 hold in both directions", arguments: vectors)
    func rfc4648(text: String, bytes: [UInt8]) {
        #expect(Base64.decode(text) == bytes)
        #expect(Base64.encode(bytes) == text)
    }

    @Test(
        "what is not the canonical text of some bytes is refused",
        arguments: [
            "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zv==", "Zm9=", "Zm8", "Zm9vY", "Zm9vYg", "=", "==", "===", "====",
            "Z===", "=g==", "Z=g=", "Zg==Zg==", "Zm8=Zm9v", "Zm9v====", "Zm9v\n", " Zm9v", "Zm 9v", "Zm9v ", "Zm\r\n",
            "-_-_", "Zm9-", "Zm9_", "Zm9.", "Zm9\u{0}", "\u{0}\u{0}\u{0}\u{0}", "Zmé", "éé", "Zm９v", "A=A=", "AA=A",
        ])
    func refused(text: String) { #expect(Base64.decode(text) == nil) }

    @Test("random bytes are written as Foundation writes them and read back")
    func agreement() throws {
        var generator = Seeded(stream: 12)
        for length in 0..<600 {
            let bytes = generator.bytes(count: length)
            let text = Data(bytes).base64EncodedString()
            #expect(Base64.encode(bytes) == text)
            #expect(Base64.decode(text) == bytes)
            var appended = Array("before".utf8)
            Base64.append(bytes, to: &appended)
            #expect(appended == Array("before\(text)".utf8))
        }
    }

    @Test("of every four characters either both sides see the same bytes, or the text is refused as not canonical")
    func everyQuartet() {
        var generator = Seeded(stream: 13)
        let characters = Array("AQgw/+09=zZ-_ \n".utf8)
        for _ in 0..<20_000 {
            let quartet = (0..<4).map { _ in characters[Int.random(in: 0..<characters.count, using: &generator)] }
            let text = String(decoding: quartet, as: UTF8.self)
            let foundation = Data(base64Encoded: text)
            let isCanonical = foundation?.base64EncodedString() == text
            #expect(Base64.decode(text) == (isCanonical ? foundation.map(Array.init) : nil), "\(text)")
        }
    }

    @Test("a field's length is bounded: too few bytes are a bad request, too many are too large")
    func lengths() throws {
        func code(_ count: Int, _ lengths: ClosedRange<Int>) throws -> ErrorCode? {
            let object = try JSONObject(#"{"b":"\#(Base64.encode([UInt8](repeating: 7, count: count)))"}"#)
            do throws(Rejection) {
                #expect(try object.base64("b", lengths: lengths)?.count == count)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(try code(15, 16...256) == .badRequest)
        #expect(try code(16, 16...256) == nil)
        #expect(try code(256, 16...256) == nil)
        #expect(try code(257, 16...256) == .tooLarge)
        #expect(try code(31, 32...32) == .badRequest)
        #expect(try code(32, 32...32) == nil)
        #expect(try code(33, 32...32) == .badRequest)
    }

    @Test("escaped slashes in base64 are slashes")
    func escapedSlashes() throws {
        #expect(try JSONObject(#"{"b":"\/\/\/\/"}"#).base64("b", lengths: 3...3) == [255, 255, 255])
    }
}
