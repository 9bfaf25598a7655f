import ParleyStore

extension Writer {
    /// Removes deleted rows from the store's files, if that is due.
    func cleanFiles(now: ContinuousClock.Instant) {
        guard cleaning.isDue(now: now) else { return }
        do throws(StoreError) {
            try cleaning.waits ? store.checkpoint() : store.checkpointIfFree()
            cleaning.recordCleaning(isDone: true, now: .now)
        } catch {
            // A slow reader is in the way, or the disk is full, which the batches report.
            cleaning.recordCleaning(isDone: false, now: .now)
        }
    }
}
