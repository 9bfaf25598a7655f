/// The tables of pushes in a database that several gateways share.
///
/// One transaction runs at a time, whichever gateway's it is, so that a device's line is only ever changed by one.
package protocol SharedPushes: AnyObject, Sendable {
    /// One transaction: all of `body`, committed and durable when this returns, or nothing of it. Other gateways' wait
    /// for its end.
    ///
    /// - Parameter body: is given the lease under which this process sends jobs, extended.
    func write<Result>(_ body: (Database, PushLease) throws -> Result) throws -> Result

    /// Reads one state of the database.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result
}

/// What a process holds jobs by while it sends them, and announcements until they are published. When it is over, by
/// the server's clock, whoever comes first takes over what was held.
package struct PushLease: Hashable, Sendable {
    /// Never used again.
    let number: Int

    package init(number: Int) { self.number = number }

    /// How long a process may say nothing before it is over.
    package static let time = Duration.seconds(10)
    /// How often it is extended, and what others have lost is looked for.
    package static let interval = Duration.milliseconds(2500)

    /// Of a job or an announcement: that nobody holds it any more.
    static func isLost(_ table: String) -> String {
        "(\(table).lease IS NULL OR NOT EXISTS (SELECT 1 FROM push_leases l WHERE l.id = \(table).lease))"
    }
}

extension PushTransaction {
    /// The main database, where it is the same one; `nil` where pushes have a file of their own.
    package var main: Snapshot? { lease.map { _ in Snapshot(database: database) } }

    /// Ends the leases of earlier processes of this gateway, of which there is one at a time.
    package func endEarlierLeases() throws(StoreError) {
        guard let lease else { return }
        try database.run(
            "DELETE FROM push_leases WHERE id <> ?1 AND cell = (SELECT l.cell FROM push_leases l WHERE l.id = ?1)",
            [lease.number])
    }

    /// Ends this process's lease: what is held by it is for others.
    package func endLease() throws(StoreError) {
        guard let lease else { return }
        try database.run("DELETE FROM push_leases WHERE id = ?", [lease.number])
    }
}
