import Foundation
import ParleyProtocol
import TestSupport
import Testing

@Suite("JSON and UTF-8 by public test vectors")
struct PublicVectorTests {
    static func accepts(_ bytes: [UInt8]) -> Bool { JSONObjectTests.fault(bytes) == nil }

    /// The text as the value of a member, so that what is no object has its turn too.
    static func asMember(_ bytes: [UInt8]) -> [UInt8] { Array(#"{"v":"#.utf8) + bytes + Array("}".utf8) }

    @Test("JSONTestSuite: what must be accepted is, but for duplicate keys; what must be refused is", .vectors)
    func jsonTestSuite() throws {
        let folder = try Vectors.folder("jsontestsuite/test_parsing")
        var (accepted, refused) = (0, 0)
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let name = file.lastPathComponent
            let bytes = Array(try Data(contentsOf: file))
            if name.hasPrefix("y_") {
                let isObject = bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
                let hasDuplicate = name.contains("duplicated_key")
                #expect(Self.accepts(bytes) == (isObject && !hasDuplicate), "\(name)")
                #expect(Self.accepts(Self.asMember(bytes)) == !hasDuplicate, "\(name)")
                accepted += 1
            } else if name.hasPrefix("n_") {
                #expect(!Self.accepts(bytes), "\(name)")
                #expect(!Self.accepts(Self.asMember(bytes)), "\(name)")
                refused += 1
            }
        }
        #expect(accepted > 40 && refused > 100)
    }

    @Test("utf8tests: inside a string, what is UTF-8 is accepted and what is not is refused", .vectors)
    func utf8Tests() throws {
        let file = try Vectors.folder("utf8tests/utf8tests.txt")
        var (valid, invalid) = (0, 0)
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let content: [UInt8]
            let kind = parts[1].trimmingCharacters(in: .whitespaces)
            switch kind {
            case "valid": content = Array(parts[2].utf8)
            case "valid hex", "invalid hex": content = Self.bytes(hex: parts[2].prefix { $0 != ":" })
            default:
                Issue.record("a line of an unknown kind: \(line)")
                continue
            }
            let payload = Self.asMember([UInt8(ascii: "\"")] + content + [UInt8(ascii: "\"")])
            if kind == "invalid hex" {
                #expect(JSONObjectTests.fault(payload) == .notUTF8, "\(line)")
                invalid += 1
            } else if content.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
                #expect(try JSONObject(parsing: payload).text("v", maximum: 1000)?.utf8.elementsEqual(content) == true)
                valid += 1
            }
        }
        #expect(valid > 20 && invalid > 50)
    }

    @Test("naughty strings survive the writer and both readers byte for byte", .vectors)
    func naughtyStrings() throws {
        let strings = try Vectors.naughtyStrings()
        for text in strings {
            let written = JSONWriter.bytes { writer in writer.object { $0.member("text", text) } }
            let foundation = try JSONDecoder().decode([String: String].self, from: Data(written))
            #expect(foundation["text"]?.utf8.elementsEqual(text.utf8) == true)
            guard !text.utf8.contains(0) else { continue }
            #expect(
                try JSONObject(parsing: written).text("text", maximum: 100_000)?.utf8.elementsEqual(text.utf8) == true)
            let encoded = try JSONEncoder().encode(["text": text])
            #expect(
                try JSONObject(parsing: Array(encoded)).text("text", maximum: 100_000)?.utf8.elementsEqual(text.utf8)
                    == true)
        }
    }

    private static func bytes(hex: some StringProtocol) -> [UInt8] {
        let digits = hex.compactMap { $0.hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
