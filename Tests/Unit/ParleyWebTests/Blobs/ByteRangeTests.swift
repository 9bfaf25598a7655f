import ParleyProtocol
import Testing

@testable import ParleyWeb

@Suite("Ranges of blobs")
struct ByteRangeTests {
    @Test(
        "one range that the blob has is a part",
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=0-99", 0..<100), ("bytes=0-", 0..<100), ("bytes=99-", 99..<100),
            ("bytes=10-1000", 10..<100), ("bytes=-1", 99..<100), ("bytes=-100", 0..<100), ("bytes=-1000", 0..<100),
            ("BYTES=5-5", 5..<6), ("bytes=007-8", 7..<9), ("bytes=0-99999999999999999999999", 0..<100),
            ("bytes=-99999999999999999999999", 0..<100),
        ])
    func part(field: String, range: Range<Int>) {
        #expect(RequestedRange(field, size: 100) == .part(range))
    }

    @Test(
        "a range behind the end is not satisfiable",
        arguments: ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999999-", "bytes=-000"])
    func unsatisfiable(field: String) {
        #expect(RequestedRange(field, size: 100) == .unsatisfiable)
    }

    @Test(
        "several ranges, other units and malformed ones get the whole",
        arguments: [
            "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-4", "bytes=0-1,5-6", "bytes=0-1, 5-6", "bytes=0-1,",
            "items=0-1", "bytes 0-1", "bytes= 0-1", "bytes=0 - 1", "bytes=--1", "bytes=-1-", "bytes=1--2", "bytes=+1-2",
            "bytes=0x1-2", "bytes=1-2-3", "=0-1", "bytes=٠-١", "bytes=1.5-2", "bytes==1-2", "\u{0}bytes=1-2",
        ])
    func whole(field: String) {
        #expect(RequestedRange(field, size: 100) == .whole)
    }

    @Test("without the field it is the whole")
    func none() { #expect(RequestedRange(nil, size: 100) == .whole) }

    @Test("tags are compared as RFC 9110 says")
    func tags() throws {
        let tag = EntityTag([UInt8](repeating: 0, count: 32))
        #expect(tag.text == "\"\(String(repeating: "A", count: 43))\"")
        for field in ["*", tag.text, "W/\(tag.text)", "\"x\", \(tag.text)", "\"x\" ,\t\(tag.text) "] {
            #expect(tag.isNamed(byIfNoneMatch: field), "\(field)")
        }
        for field in ["", "\"x\"", String(tag.text.dropFirst()), "w/\(tag.text)"] {
            #expect(!tag.isNamed(byIfNoneMatch: field), "\(field)")
        }
        #expect(!tag.isNamed(byIfNoneMatch: nil))
        #expect(tag.permitsRange(ifRange: nil) && tag.permitsRange(ifRange: tag.text))
        for field in ["", "W/\(tag.text)", "Sun, 06 Nov 1994 08:49:37 GMT", "*"] {
            #expect(!tag.permitsRange(ifRange: field), "\(field)")
        }
    }
}
