import ParleyStore
import PostgreSQL

extension SessionPool {
    /// Reads one state of the database.
    ///
    /// - Throws: `StoreError`
    func read<Result>(as cell: ClaimedCell, _ body: (Database) throws -> Result) throws -> Result {
        do {
            return try withSession { session in
                do {
                    try session.connection.send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                    let transaction = OpenTransaction(session, cell, locksCell: false, told: cell.toldBefore)
                    let result = try body(Database(transaction, cell.stream, locksRows: false))
                    try session.connection.send("COMMIT")
                    try session.connection.sync()
                    return result
                } catch {
                    session.rollBack()
                    throw error
                }
            }
        } catch { throw StoreError(anything: error) }
    }
}
