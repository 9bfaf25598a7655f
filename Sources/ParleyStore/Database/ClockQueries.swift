import ParleyProtocol
import ParleyRules

package struct ClockQueries {
    let database: Database

    /// Its last known time is that of its last step or start, or of the last record since.
    package func stored() throws(StoreError) -> StoredClock {
        guard
            let row = try database.row(
                "SELECT steps, stepped_at, position, boot, boot_offset FROM clock WHERE id = ?", [database.stream.row]),
            (row[1] as Int) != 0
        else { return StoredClock(boot: nil, bootOffset: nil, clockOffset: 0, lastTime: nil) }
        let last = try database.row(
            "SELECT created_at FROM records WHERE position > ? AND position < ? ORDER BY position DESC LIMIT 1",
            [max(row[2], database.stream.start.value), database.stream.end.value])
        return StoredClock(
            boot: row[3], bootOffset: row[4], clockOffset: row[0],
            lastTime: max(row.time(1), last?.time(0) ?? .earliest))
    }
}

/// Writes the gateway's clock.
package struct ClockWrites {
    let database: Database

    /// Called at the start, and after each step that the clock has followed.
    package func store(_ clock: StoredClock) throws(StoreError) {
        try database.run(
            "UPDATE clock SET steps = ?, stepped_at = ?, position = ?, boot = ?, boot_offset = ? WHERE id = ?",
            [
                clock.clockOffset, clock.lastTime?.milliseconds ?? 0,
                try OutboxQueries(database: database).lastPosition().value, clock.boot,
                clock.bootOffset, database.stream.row,
            ])
    }
}
