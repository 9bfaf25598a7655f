import ParleyProtocol

extension PushPlanWrites {
    /// Has a lease hold the announcements that were just written.
    func hold(under lease: PushLease) throws(StoreError) {
        try database.run("UPDATE announcements SET lease = ? WHERE lease IS NULL", [lease.number])
    }

    /// The most announcements that are taken over at once.
    private static let mostAtOnce = 64

    /// Takes over announcements that nobody publishes any more: this process, which has no plan open, or one that is
    /// gone.
    ///
    /// - Returns: `nil` for none.
    package func takeOver() throws(StoreError) -> PushPlanRecord? {
        guard let lease else { return nil }
        try database.run(
            """
            UPDATE announcements SET lease = ? WHERE id IN (
                SELECT a.id FROM announcements a WHERE \(PushLease.isLost("a")) ORDER BY a.id LIMIT ?)
            """, [lease.number, PushPlanWrites.mostAtOnce])
        let announcements = try database.list(
            "\(PushAnnouncementRecord.selection) WHERE lease = ? ORDER BY id LIMIT ?",
            [lease.number, PushPlanWrites.mostAtOnce]
        ) { try PushAnnouncementRecord($0) }
        guard !announcements.isEmpty else { return nil }
        return PushPlanRecord(
            number: 1, decidedThrough: nil, announcements: announcements.sorted { $0.isBefore($1) })
    }
}

extension PushLinkWrites {
    /// Where gateways share the database, an announcement is there until it is published.
    func remove(_ announcements: [NotificationID]) throws(StoreError) -> Set<NotificationID> {
        var removed: Set<NotificationID> = []
        try database.read(announcements.map { [.id($0)] }, key: "?") { ids in
            "DELETE FROM announcements WHERE id IN (\(ids)) RETURNING id"
        } _: { row in
            removed.insert(try row.uuid(0))
        }
        return removed
    }
}
