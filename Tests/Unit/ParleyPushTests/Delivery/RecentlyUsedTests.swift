import Testing

@testable import ParleyPush

@Suite("The table that forgets")
struct RecentlyUsedTests {
    @Test("what was not used for the longest time goes, but for what must stay")
    func trim() {
        var table = RecentlyUsed<Int, Int>(limit: 16)
        for number in 0..<16 { table[number] = number }
        let nothing = table.trim()
        #expect(nothing == [])
        _ = table[0]
        table[16] = 16
        let gone = table.trim { $0 != 2 }
        #expect(gone == [1, 3, 4])
        #expect(table.count == 14)
        #expect(Set(table.keys).isSuperset(of: [0, 2, 16]))
    }
}
