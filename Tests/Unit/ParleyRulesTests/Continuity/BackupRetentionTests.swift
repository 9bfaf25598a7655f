import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Which backups are kept")
struct BackupRetentionTests {
    /// One a day, the newest first.
    private static let daily = (0..<10).map { BackupName(at: at(0).advanced(by: .days(-$0))) }

    private func removed(count: Int?, days: Int?, of names: [BackupName] = daily) -> [Int] {
        BackupRetention(count: count, age: days.map(Duration.days)).removable(among: names, newest: Self.daily[0])
            .compactMap { Self.daily.firstIndex(of: $0) }
    }

    @Test("without a bound all are; with one it says which; with both what either keeps")
    func bounds() {
        #expect(removed(count: nil, days: nil) == [])
        #expect(removed(count: 1, days: nil) == Array(1...9))
        #expect(removed(count: 7, days: nil) == [7, 8, 9])
        #expect(removed(count: nil, days: 3) == [4, 5, 6, 7, 8, 9])
        #expect(removed(count: 7, days: 3) == [7, 8, 9])
        #expect(removed(count: 2, days: 8) == [9])
        #expect(removed(count: 100, days: nil) == [])
    }

    @Test("the newest is, and what the clock says is newer than it")
    func newest() {
        let later = BackupName(at: at(0).advanced(by: .days(400)))
        #expect(removed(count: 1, days: nil, of: [later] + Self.daily.reversed()) == Array(1...9))
        #expect(removed(count: 1, days: nil, of: [later, Self.daily[0]]) == [])
        #expect(removed(count: 1, days: nil, of: []) == [])
    }
}
