/// Where the content of the tables of pushes is, if it is not in those of the main database that carry it.
struct TransferPushes {
    let store: PushStore
    /// The last event that a plan of a file has decided which the main database has not carried out. It and those
    /// before it are still in the main database, and not in a copy.
    let decidedThrough: PushEvent.Key?
    /// Whether announcements are to be published. A file has those of its last plan also when that is carried out.
    private let announces: Bool

    /// A file.
    ///
    /// - Returns: `nil` if it is not the main database's.
    init?(linked file: PushStore?, to main: Store) throws(StoreError) {
        guard let file, let openPlans = try file.openPlans(of: main) else { return nil }
        store = file
        announces = openPlans > 0
        decidedThrough = announces ? try file.read { try $0.plans.last()?.decidedThrough } : nil
    }

    /// The tables of the main database itself, with what an earlier copy has left beside them.
    init?(sharedIn main: Store) throws(StoreError) {
        guard let shared = PushStore(in: main) else { return nil }
        try shared.link(to: main, name: "")
        (store, announces, decidedThrough) = (shared, true, nil)
    }

    /// Where the content of a table is that carries it in a copy; `nil` for one that carries nothing.
    func place(of table: TransferTable) -> (name: String, columns: String)? {
        guard announces || table.name != "push_announcements" else { return nil }
        return PushTables.own(ofCarried: table.name, table.columns)
    }
}
