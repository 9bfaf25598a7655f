import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge

/// What a page takes of a list, beside a plain counting of items and bytes.
@Suite("Building a page")
struct PageBuilderTests {
    /// An item of so many bytes of JSON.
    private static func item(_ bytes: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "1"), count: bytes) }

    private func fill(_ page: inout PageBuilder<Int>, _ sizes: some Sequence<Int>, from first: Int = 0) {
        for (index, size) in sizes.enumerated() {
            guard page.append(first + index, { $0.raw(Self.item(size)) }) else { break }
        }
    }

    @Test("a page ends at its items or its bytes to the byte", .seeded, arguments: 0..<20)
    func bounds(stream: Int) {
        var generator = Seeded(stream: UInt64(stream))
        for _ in 0..<100 {
            let sizes = (0..<generator.number(0...12)).map { _ in generator.number(1...30) }
            let (limit, byteLimit) = (generator.number(1...8), generator.number(1...60))
            var page = PageBuilder<Int>(limit: limit, byteLimit: byteLimit)
            fill(&page, sizes)
            let fitting = (0...sizes.count).last { count in
                count <= limit && (count <= 1 || sizes.prefix(count).reduce(count - 1, +) <= byteLimit)
            }
            #expect(page.count == fitting)
            #expect(page.json == Array(sizes.prefix(page.count).map(Self.item).joined(separator: [UInt8(ascii: ",")])))
            #expect(page.json.count <= byteLimit || page.count == 1)
            #expect(page.isCut == (page.count < sizes.count))
            #expect(page.end == (page.isCut ? page.count - 1 : nil))
        }
    }

    @Test("whoever goes on behind each page comes to the end, also past what is larger than a page")
    func progress() {
        let sizes = [1, 500, 1, 1, 101, 500, 500, 99, 1]
        var found: [Int] = []
        var pages: [Int] = []
        var next: Int?
        repeat {
            var page = PageBuilder<Int>(limit: 3, byteLimit: 101)
            let first = next.map { $0 + 1 } ?? 0
            fill(&page, sizes[first...], from: first)
            found += page.items.map(\.position)
            pages.append(page.count)
            next = page.end
        } while next != nil && pages.count < 20
        #expect(found == Array(sizes.indices))
        #expect(pages == [1, 1, 2, 1, 1, 1, 2])
    }

    @Test("what may not be larger than its room is not, although it is the first")
    func withoutLarge() {
        var page = PageBuilder<Int>(limit: 3, byteLimit: 10, takesLarge: false)
        fill(&page, [11])
        #expect(page.isEmpty && page.isCut && page.end == nil)
        fill(&page, [10])
        #expect(page.count == 1 && page.isFull)
        for room in [0, -5] {
            var none = PageBuilder<Int>(limit: 3, byteLimit: room, takesLarge: false)
            fill(&none, [1])
            #expect(none.isEmpty)
        }
    }

    @Test("what cannot go in is not written")
    func notWritten() {
        for var page in [PageBuilder<Int>(limit: 1), PageBuilder<Int>(limit: 5, byteLimit: 3)] {
            #expect(page.append(0) { $0.raw(Self.item(3)) })
            let isAdded = page.append(1) { _ in Issue.record("written") }
            #expect(!isAdded && page.isFull && page.isCut)
        }
    }

    @Test("trimming takes from the end, down to the bytes but not below the least")
    func trimming() {
        var page = PageBuilder<Int>(limit: 10)
        fill(&page, [10, 20, 30])
        page.trim(toBytes: 33, least: 0)
        #expect(page.items.map(\.position) == [0, 1] && page.isCut && page.bytes == 32)
        page.trim(toBytes: 0, least: 1)
        #expect(page.items.map(\.position) == [0])
        page.trim(toBytes: 0, least: 0)
        #expect(page.isEmpty && page.end == nil)
    }
}
