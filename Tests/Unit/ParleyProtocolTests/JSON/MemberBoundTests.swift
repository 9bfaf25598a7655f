import ParleyProtocol
import TestSupport
import Testing

@Suite("Members of a request's objects")
struct MemberBoundTests {
    private func fault(_ text: String, _ kind: (any Request.Type)?) -> JSONError? {
        do throws(JSONError) {
            _ = try JSONObject(parsing: Array(text.utf8), MemberBound(requestOf: kind))
            return nil
        } catch {
            return error
        }
    }

    private func members(_ count: Int, key: (Int) -> String = { "k\($0)" }, value: String = "0") -> String {
        (0..<count).map { "\"\(key($0))\":\(value)" }.joined(separator: ",")
    }

    private func id(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.utf8.count) + digits
    }

    private let cursor = #"{"epoch":"e","seq":1}"#

    @Test("an object of 64 members is taken and one of 65 refused, wherever it stands")
    func bound() {
        let places: [(String) -> String] = [
            { "{\($0)}" }, { #"{"a":{\#($0)}}"# }, { #"{"a":[1,{\#($0)}]}"# }, { #"{"a":[[{"b":{\#($0)}}]]}"# },
            { #"{"cursors":[{\#($0)}]}"# }, { #"{"a":{"cursors":{\#($0)}}}"# },
        ]
        for (number, place) in places.enumerated() {
            for kind in OperationTable.all + [nil] as [(any Request.Type)?] {
                #expect(fault(place(members(64)), kind) == nil, "\(number)")
                #expect(fault(place(members(65)), kind) == .members, "\(number)")
                #expect(fault(place(members(65, key: id)), kind) == .members, "\(number)")
                #expect(fault(place(members(65) { "\\u006b\($0)" }), kind) == .members, "\(number)")
            }
        }
        #expect(fault(#"{"a":[\#((0..<100).map { _ in "{\(members(64))}" }.joined(separator: ","))]}"#, nil) == nil)
    }

    @Test("the cursors of sync are a table: as many as there is room for, each within the bound, all with ids")
    func table() throws {
        let many = members(3_000, key: id, value: cursor)
        for name in ["cursors", #"\u0063ursors"#] {
            let text = #"{"limit":5,"\#(name)":{\#(many)},"a":{\#(members(64))}}"#
            #expect(fault(text, SyncRequest.self) == nil)
            #expect(fault(text, ListConversations.self) == .members && fault(text, nil) == .members)
            let object = try JSONObject(parsing: Array(text.utf8), MemberBound(requestOf: SyncRequest.self))
            let request = try SyncRequest(members: object)
            #expect(request.cursors.count == 3_000)
            #expect(request.cursors.values.allSatisfy { $0 == .init(epoch: "e", seq: 1) })
        }
        #expect(fault(#"{"cursors":{\#(many)},"a":{\#(members(65))}}"#, SyncRequest.self) == .members)
        #expect(fault(#"{"cursors":{\#(many),"x":{}}}"#, SyncRequest.self) == .members)
        #expect(fault(#"{"cursors":{"\#(id(0))":{\#(members(65))}}}"#, SyncRequest.self) == .members)
        #expect(fault(#"{"cursors":{\#(members(65, key: id, value: "{\(members(64))}"))}}"#, SyncRequest.self) == nil)
    }

    @Test("an id that stands twice among thousands is found, however it is spelled")
    func duplicates() {
        let many = members(3_000, key: id, value: cursor)
        for number in [0, 63, 64, 1_500, 2_999] {
            for again in [id(number), "\\u0030" + id(number).dropFirst()] {
                #expect(fault(#"{"cursors":{\#(many),"\#(again)":{}}}"#, SyncRequest.self) == .duplicateKey)
                #expect(fault(#"{"cursors":{"\#(again)":{},\#(many)}}"#, SyncRequest.self) == .duplicateKey)
            }
        }
    }

    @Test("what a device reads of its gateway has no bound")
    func unbounded() throws {
        let text = #"{\#(members(5_000, value: "{\(members(70))}"))}"#
        let object = try JSONObject(parsing: Array(text.utf8))
        #expect(object.names.count == 5_000)
        #expect(try object.object("k4999")?.integer("k69", in: 0...0) == 0)
    }
}

@Suite("Random JSON", .seeded)
struct RandomJSONTests {
    /// A tree, with its text: members of one object differ, whatever the spelling.
    private func value(_ depth: Int, _ generator: inout Seeded) throws -> (text: String, value: JSONElement) {
        switch generator.next() % (depth < 5 ? 5 : 3) {
        case 0:
            let text = generator.text(0...12)
            return (spelled(text, &generator), .string(text))
        case 1, 2:
            let literal = try generator.element(["0", "-12", "3.5e-7", "1E+400", "true", "false", "null"])
            return (literal, .literal(literal))
        case 3:
            var (texts, elements): ([String], [JSONElement]) = ([], [])
            for _ in 0..<Int(generator.next() % 6) {
                let (text, element) = try value(depth + 1, &generator)
                texts.append(space(&generator) + text + space(&generator))
                elements.append(element)
            }
            return ("[" + (texts.isEmpty ? space(&generator) : texts.joined(separator: ",")) + "]", .array(elements))
        default:
            return try object(depth, &generator)
        }
    }

    private func object(_ depth: Int, _ generator: inout Seeded) throws -> (text: String, value: JSONElement) {
        var (texts, members): ([String], [JSONElement.Member]) = ([], [])
        var seen: Set<[UInt8]> = []
        for _ in 0..<Int(generator.next() % (generator.chance(0.1) ? 90 : 6)) {
            let key = generator.text(0...4)
            guard seen.insert(Array(key.utf8)).inserted else { continue }
            let (text, element) = try value(depth + 1, &generator)
            texts.append(
                space(&generator) + spelled(key, &generator) + space(&generator) + ":" + space(&generator) + text
                    + space(&generator))
            members.append(JSONElement.Member(key: key, value: element))
        }
        return ("{" + (texts.isEmpty ? space(&generator) : texts.joined(separator: ",")) + "}", .object(members))
    }

    private func space(_ generator: inout Seeded) -> String { generator.chance(0.2) ? " \n\t\r" : "" }

    /// A string of JSON, some of its characters escaped by their numbers.
    private func spelled(_ text: String, _ generator: inout Seeded) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || generator.chance(0.2) {
                for unit in String(scalar).utf16 {
                    result += #"\u"# + String(0x10000 + Int(unit), radix: 16).dropFirst()
                }
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    @Test("a tree of any shape and spelling is read as what it is; with a key said twice it is refused")
    func trees() throws {
        var generator = Seeded(stream: 30)
        for _ in 0..<2_000 {
            let (text, expected) = try object(1, &generator)
            let read = try JSONObject(parsing: Array((" " + text + "\n").utf8))
            #expect(read.element == expected)
            guard case .object(let members) = expected, let member = members.randomElement(using: &generator)
            else { continue }
            let twice = text.dropLast() + "," + spelled(member.key, &generator) + ":0}"
            #expect(throws: JSONError.duplicateKey) { try JSONObject(parsing: Array(twice.utf8)) }
        }
    }
}
