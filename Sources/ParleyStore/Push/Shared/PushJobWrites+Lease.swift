import ParleyProtocol

extension PushJobWrites {
    /// Marks jobs as under way, and as held by a lease.
    func begin(_ ids: [NotificationID], under lease: PushLease) throws(StoreError) {
        let rows = ids.map { [.integer(lease.number), BoundValue.id($0)] }
        try database.run(rows, row: "(CAST(? AS BIGINT), CAST(? AS BLOB))") { rows in
            """
            UPDATE jobs SET due_at = NULL, is_under_way = 1, attempts = attempts + 1, lease = v.column1
            FROM (VALUES \(rows)) AS v WHERE jobs.id = v.column2
            """
        }
    }

    /// Which of these jobs this process is sending; all of a file, which no other sends.
    package func held(among ids: [NotificationID]) throws(StoreError) -> Set<NotificationID> {
        guard let lease else { return Set(ids) }
        var held: Set<NotificationID> = []
        try database.read(ids.map { [.id($0)] }, key: "?") { ids in
            "SELECT id, lease FROM jobs WHERE id IN (\(ids)) AND is_under_way = 1"
        } _: { row in
            if row.optionalInteger(1) == lease.number { held.insert(try row.uuid(0)) }
        }
        return held
    }
}
