import ParleyProtocol
import ParleyRules
import ParleyStore

/// How much each user has stored today: the writer's ledger, which its batches share.
///
/// What a transaction charges counts in it, and afterwards if it was committed.
final class StorageAccounts {
    private var ledger: StorageLedger
    /// The day on which what was counted on earlier days was last removed.
    private var cleanedOn: Int?
    /// In the transaction under way.
    private var isCleaned = false

    init(_ settings: Settings) { ledger = StorageLedger(bytesPerDay: settings.storedBytesPerDay) }

    /// Today, in days since 1970, UTC.
    var day: Int { ledger.day }

    func begin(at steady: Timestamp) {
        isCleaned = false
        ledger.begin(at: steady)
    }

    func needsLoading(_ user: UserID) -> Bool { ledger.needsLoading(user) }

    func load(_ user: UserID, stored: Int) {
        if ledger.needsLoading(user) { ledger.load(user, stored: stored) }
    }

    /// - Throws: `rate_limited` where so much more would be more than a day's.
    func checkRoom(for bytes: Int, of user: UserID) throws(Rejection) { try ledger.checkRoom(for: bytes, of: user) }

    func charge(_ bytes: Int, to user: UserID) { ledger.charge(bytes, to: user) }

    /// Writes the numbers that have to be, with what they count.
    func storeDue(_ transaction: () throws(StoreError) -> WriteTransaction) throws(StoreError) {
        let due = ledger.dueNumbers
        guard !due.isEmpty else { return }
        let transaction = try transaction()
        if cleanedOn != day {
            try transaction.storedBytes.remove(before: day)
            isCleaned = true
        }
        try transaction.storedBytes.set(due, on: day)
    }

    func recordCommit() {
        if isCleaned { cleanedOn = day }
        ledger.recordCommit()
    }
}
