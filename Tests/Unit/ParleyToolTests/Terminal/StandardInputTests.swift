import ParleyProtocol
import Testing

@testable import parley

@Suite("What is read from a pipe")
struct StandardInputTests {
    @Test("lines are cut the same however the bytes come, the last one without an end too")
    func lines() throws {
        let bytes = Array("one\n\nGrüße\nlast".utf8)
        for cut in 0...bytes.count {
            var splitter = LineSplitter(longest: 100)
            let lines =
                try splitter.split(Array(bytes[..<cut])) + splitter.split(Array(bytes[cut...])) + splitter.end()
            #expect(lines == ["one", "Grüße", "last"])
        }
    }

    @Test("a line that is too long, or no UTF-8, is refused")
    func refused() throws {
        var splitter = LineSplitter(longest: 3)
        #expect(try splitter.split(Array("abc\n".utf8)) == ["abc"])
        #expect(throws: ToolError.self) { try splitter.split(Array("abcd".utf8)) }
        var other = LineSplitter(longest: 3)
        #expect(throws: ToolError.self) { try other.split([0xFF, 0x0A]) }
    }

    @Test("a time is said as people say it")
    func time() throws {
        let civil = TimeZone.utc.civil(try #require(Timestamp("2026-11-01T04:05:06.789Z")))
        #expect(civil.day == "Sun 1 Nov 2026")
        #expect(civil.time == "04:05")
        #expect(civil.stamp == "2026-11-01 04:05:06")
    }
}
