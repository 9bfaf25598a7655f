/// A transaction on an engine that is a network away.
///
/// Statements are the texts of SQLite, with `?` and `?1`, of `docs/decisions/0047-one-text-for-two-engines.md`. It is
/// confined to the thread that runs the transaction.
package protocol RemoteConnection: AnyObject {
    /// Sends a statement that gives no rows, and does not wait: that it fails shows when the next rows are asked for,
    /// or at the end of the transaction, which then fails with it.
    func send(_ sql: String, _ values: [BoundValue]) throws(StoreError)

    /// Runs a statement.
    ///
    /// - Returns: how many rows it has changed.
    func change(_ sql: String, _ values: [BoundValue]) throws(StoreError) -> Int

    /// Claims work until the transaction ends, however it ends; `false` where another gateway has. Waits for nobody.
    func claim(_ work: SharedWork) throws(StoreError) -> Bool

    /// The last position in the stream of this gateway, with those that ``setStreamEnd(_:audience:)`` was told of.
    func lastPosition() throws(StoreError) -> StreamPosition

    /// Adds changes of audiences to the stream of this gateway.
    func insertAudienceChanges(_ changes: [(position: StreamPosition, change: [UInt8])]) throws(StoreError)

    /// Sets how far the stream of this gateway goes with the transaction: its last position, and the last that changes
    /// an audience. Of several, the furthest holds.
    func setStreamEnd(_ position: StreamPosition, audience: StreamPosition?)

    /// Runs queries in one round trip: the same ones, asked for next and in this order, have their rows then.
    func prefetch(_ queries: [RemoteQuery]) throws(StoreError)

    /// Runs a query. All rows are here when this returns.
    func rows(_ sql: String, _ values: [BoundValue]) throws(StoreError) -> any RemoteRows
}

/// A query with the values of its parameters.
package struct RemoteQuery: Hashable, Sendable {
    package let sql: String
    package let values: [BoundValue]

    init(sql: String, values: [BoundValue]) { (self.sql, self.values) = (sql, values) }
}

/// The rows of a query, each read when it is the current one.
package protocol RemoteRows: AnyObject, ColumnReader {
    /// Goes on to the next row, at first to the first; `false` behind the last.
    func next() -> Bool

    /// The value as it is stored.
    func value(_ column: Int) -> BoundValue
}
