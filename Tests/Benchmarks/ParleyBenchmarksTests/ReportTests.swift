import Testing

@testable import GatewaySite

@Suite("Figures")
struct ReportTests {
    @Test("a spread is the least, the middle and the most")
    func spread() throws {
        #expect(Spread([]) == nil)
        let odd = try #require(Spread([3, 1, 2]))
        #expect((odd.least, odd.median, odd.most) == (1, 2, 3))
        #expect(Spread([4, 1, 2, 3])?.median == 2.5)
    }

    @Test("a percentile is a value that was measured")
    func percentile() {
        let values = (1...100).map { Int64($0) }
        #expect(values.percentile(0.5) == 51)
        #expect(values.percentile(0.99) == 100)
        #expect([Int64]().percentile(0.5) == nil)
    }

    @Test("a table has names to the left and numbers to the right")
    func table() {
        var table = Table(["system", "messages/s"], names: 1)
        table.rows = [["relay", "17000"], ["gateway", "9"]]
        #expect(
            table.text(.markdown) == """
                | system  | messages/s |
                | --- | ---: |
                | relay   |      17000 |
                | gateway |          9 |
                """)
        #expect(
            table.text(.plain) == """
                system   messages/s
                -------  ----------
                relay         17000
                gateway           9
                """)
    }
}
