import Logging
import ParleyProtocol
import ParleyStore

/// Discards blobs that have disappeared, so that the web doors remove their bytes; and forgets those that have been
/// gone for long.
final class BlobRemovalDuty: RemovalDuty {
    static let failure: Logger.Message = "blobs that are over could not be removed"
    static let sharedWork: SharedWork? = .blobRemovals
    var schedule = DutySchedule()

    /// How long an id is no other blob's. A door asks by itself for files that no row knows.
    static let keeping = Duration.seconds(30 * 86_400)

    func run(in batch: Batch) throws(StoreError) -> NextPart {
        let transaction = try batch.writable()
        let disappeared = try transaction.blobs.discardDisappeared(at: batch.steady, limit: Self.atOnce)
        let oldest = batch.steady.advanced(by: .zero - Self.keeping)
        let forgotten = try transaction.blobs.forgetGone(before: oldest, limit: Self.atOnce)
        let end = try transaction.facts.blobs.nextEnd()
        // It is forgotten when it is older than that.
        let removal = try transaction.facts.blobs.firstGone()?.advanced(by: Self.keeping + .milliseconds(1))
        return Self.next(
            isComplete: max(disappeared, forgotten) < Self.atOnce, dueAt: [end, removal].compactMap { $0 }.min())
    }
}
