import ParleyProtocol
import ParleyStore
import TestNames
import Testing

@testable import ParleyBridge

/// `account/backup` and `account/get-backup`.
@Suite("The backup of account keys")
struct AccountBackupTests {
    private let test: TestWriter
    private let reader: Reader

    init() throws {
        test = try TestWriter { $0.accountBackupsPerHour = 4 }
        reader = try test.reader(limits: test.writer.limits)
    }

    private func backUp(_ number: UInt8, by user: UserID = "alice", now: Timestamp = at(0)) throws -> Published {
        let blob = [UInt8](repeating: number, count: 4096)
        let incoming = try request(BackUpAccount(blob: blob), from: device(user, "phone"))
        return try #require(try test.carryOut([incoming], now: now).effects.outgoing.published.first)
    }

    private func fetch(by user: UserID = "alice", now: Timestamp = at(0)) throws -> Published {
        let incoming = try request(GetAccountBackup(), from: device(user, "laptop"))
        return try #require(try reader.answer(incoming, now: now).published.first)
    }

    @Test("what was kept last comes back, to the user's own devices alone")
    func lastComesBack() throws {
        #expect(try fetch().code == "not_found")
        #expect(try backUp(1, now: at(5)).data["updated_at"] as? String == "\(at(5))")
        #expect(try backUp(2, now: at(7)).data["updated_at"] as? String == "\(at(7))")
        let backup = AccountBackup(blob: [UInt8](repeating: 2, count: 4096), updatedAt: at(7))
        #expect(try fetch(now: at(7)).payload == JSONWriter.reply { backup.write(to: &$0) })
        #expect(try fetch(by: "bob").code == "not_found")
    }

    @Test("writing and reading are counted together, and the same again costs nothing")
    func writingAndReadingCount() throws {
        #expect(try backUp(1).code == nil && backUp(2).code == nil && fetch().code == nil)
        for _ in 0..<5 { #expect(try backUp(2, now: at(1)).data["updated_at"] as? String == "\(at(0))") }
        #expect(try backUp(3).code == nil)
        let refused = [try backUp(4), try fetch()]
        #expect(refused.map(\.code) == ["rate_limited", "rate_limited"])
        #expect(refused.allSatisfy { $0.retryAfter == 900_000 })
        // The others' are their own; and what was kept is as it was.
        #expect(try backUp(1, by: "bob").code == nil)
        #expect(try test.store.read { try $0.accounts.backup(of: "alice") }?.blob.first == 3)
        #expect(try backUp(4, now: at(900_000)).code == nil)
    }

    @Test("a reset of the account key leaves the backup, which is replaced by itself")
    func resetLeavesBackup() throws {
        #expect(try backUp(1).code == nil)
        for (account, reset) in [(UInt8(1), false), (2, true)] {
            let incoming = try publish(
                TestKeys(3), by: TestAccount(account), from: device("alice", "phone"), reset: reset)
            #expect(try test.carryOut([incoming]).effects.outgoing.replies.first?.code == nil)
        }
        #expect(try fetch().code == nil)
    }
}
