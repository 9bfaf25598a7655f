import ParleyProtocol

/// The name of the database of pushes that belongs to the main one, and the last plan of it that was carried out.
package struct PushLinkQueries {
    let database: Database

    package func name() throws(StoreError) -> String? {
        try database.row("SELECT name FROM push_link WHERE id = ?", [database.stream.row])?[0]
    }

    package func plan() throws(StoreError) -> Int {
        try database.row("SELECT plan FROM push_link WHERE id = ?", [database.stream.row])?[0] ?? 0
    }
}

package struct PushLinkWrites {
    let database: Database

    package func setPlan(_ plan: Int) throws(StoreError) {
        try database.run("UPDATE push_link SET plan = ? WHERE id = ?", [plan, database.stream.row])
    }

    /// Unlinks a main database that was put back. Its events and jobs are dropped: they may have arrived long ago.
    package func remove() throws(StoreError) {
        try database.run("UPDATE push_link SET name = NULL, plan = 0 WHERE id = ?", [database.stream.row])
        try database.run(
            "DELETE FROM push_events WHERE position >= ? AND position < ?",
            [database.stream.start.value, database.stream.end.value])
        try database.run("DELETE FROM push_jobs")
    }
}

extension PushStore {
    /// Where a process may be killed, for tests.
    package enum Step: CaseIterable, Sendable {
        case carried, linked
    }

    /// Links this database to a main one, at each start before anything is decided.
    ///
    /// Where the main database has no name for it or another, or where the two are of different times (more than the
    /// last plan is not carried out), this one is emptied and filled with what the main one carries: see `PushTables`.
    ///
    /// - Parameter name: a name that no database of pushes has.
    package func link(
        to store: Store, name: String, reached: (Step) -> Void = { _ in }
    ) throws(StoreError) {
        let (own, written) = try read { (try $0.plans.name(), try $0.plans.lastNumber()) }
        let (other, carriedOut) = try store.read { (try $0.pushLink.name(), try $0.pushLink.plan()) }
        guard own == nil || own != other || !(0...1).contains(written - carriedOut) else { return }
        try write { transaction in
            try store.read { try PushTables.carry(from: $0.database, to: transaction.database) }
            try transaction.plans.setName(name)
        }
        reached(.carried)
        try store.write { transaction in
            try PushTables.empty(transaction.database)
            try transaction.pushLink.set(name)
        }
        reached(.linked)
    }
}

extension PushLinkWrites {
    fileprivate func set(_ name: String) throws(StoreError) {
        try database.run("UPDATE push_link SET name = ?, plan = 0 WHERE id = ?", [name, database.stream.row])
    }
}
