import ParleyProtocol
import ParleyRules
import ParleyStore

/// How much each user has stored today: the ledger of the writer, for all its batches.
///
/// A charge counts in its transaction, and afterwards if that was committed.
final class StorageAccounts {
    var ledger: StorageLedger
    /// The day on which the numbers of earlier days were last removed.
    private var cleanedOn: Int?
    /// In the transaction under way.
    private var isCleaned = false

    /// - Parameter isShared: whether other gateways count in the same database.
    init(_ settings: Settings, isShared: Bool) {
        ledger = StorageLedger(bytesPerDay: settings.storedBytesPerDay, isShared: isShared)
    }

    func begin(at steady: Timestamp) {
        isCleaned = false
        ledger.begin(at: steady)
    }

    /// Writes what is due. Among the last writes of a transaction: see `Batch.storeCounts`.
    func storeDue(_ transaction: () throws(StoreError) -> WriteTransaction) throws(StoreError) {
        let due = ledger.dueAdditions
        guard !due.isEmpty else { return }
        let transaction = try transaction()
        if cleanedOn != ledger.day {
            if try transaction.claim(.storedBytesRemovals) {
                try transaction.storedBytes.remove(before: ledger.day)
            }
            isCleaned = true
        }
        try transaction.storedBytes.add(due, on: ledger.day)
    }

    func recordCommit() {
        if isCleaned { cleanedOn = ledger.day }
        ledger.recordCommit()
    }
}
