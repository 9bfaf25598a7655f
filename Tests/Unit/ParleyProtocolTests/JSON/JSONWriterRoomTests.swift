import ParleyProtocol
import Testing

@Suite("Room of a JSON document that is written")
struct JSONWriterRoomTests {
    /// `{"a":1,"n":…,"z":2}`, with room for a number up to 1000, behind other bytes.
    private func document() throws -> (writer: JSONWriter, payload: Range<Int>, room: Range<Int>) {
        var writer = JSONWriter()
        _ = writer.append { $0 += Array("topic".utf8) }
        let payload = writer.document { writer in
            writer.object { object in
                object.member("a", 1)
                object.key("n")
                object.room(upTo: 1000)
                object.member("z", 2)
            }
        }
        let room = writer.removeRoom()
        return (writer, payload, try #require(room))
    }

    private func text(_ writer: JSONWriter, _ range: Range<Int>) -> String {
        String(decoding: writer.bytes[range], as: UTF8.self)
    }

    @Test(
        "a number is filled into its room, and until then it is 0",
        arguments: [
            (nil, #"{"a":1,"n":   0,"z":2}"#), (0, #"{"a":1,"n":   0,"z":2}"#), (7, #"{"a":1,"n":   7,"z":2}"#),
            (999, #"{"a":1,"n": 999,"z":2}"#), (1000, #"{"a":1,"n":1000,"z":2}"#), (10_000, #"{"a":1,"n":   0,"z":2}"#),
        ])
    func fill(value: Int?, expected: String) throws {
        var (writer, payload, room) = try document()
        if let value { writer.fill(room, with: value) }
        #expect(text(writer, payload) == expected)
        #expect(try JSONObject(parsing: Array(writer.bytes[payload])).integer("z", in: 0...9) == 2)
    }

    @Test("room is told of once, and not of an earlier document's")
    func roomIsToldOnce() throws {
        var (writer, _, _) = try document()
        #expect(writer.removeRoom() == nil)
        _ = writer.document { writer in
            writer.object {
                $0.key("n")
                $0.room(upTo: 9)
            }
        }
        _ = writer.document { $0.object { $0.member("a", 1) } }
        #expect(writer.removeRoom() == nil)
    }

    @Test("what is no room is left alone")
    func noRoomIsLeftAlone() throws {
        var (writer, payload, room) = try document()
        let before = text(writer, payload)
        writer.fill(writer.count..<writer.count + 4, with: 7)
        writer.fill(room.lowerBound..<room.lowerBound, with: 7)
        #expect(text(writer, payload) == before)
    }
}
