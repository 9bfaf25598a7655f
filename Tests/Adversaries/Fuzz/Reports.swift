/// Reports that are read are written as they were, and whatever they say, the tracker comes to rest: everybody whom it
/// shows is connected, and it has nothing more to announce.
@Sendable func fuzzPresence(_ bytes: [UInt8]) {
    guard let reports = PresenceCodec.reports(in: bytes) else { return }
    let written = PresenceCodec.messages(for: reports)
    let again = written.flatMap { PresenceCodec.reports(in: $0) ?? [] }
    hold(again == reports, "reports are written as they were read")
    var tracker = PresenceTracker(shown: [], hold: .seconds(10), capacity: 64, now: Timestamp(milliseconds: 0))
    var shown: Set<UserID> = []
    var now: Int64 = 0
    func announce() {
        let batch = tracker.nextAnnouncements(limit: 100, now: Timestamp(milliseconds: now))
        for announcement in batch {
            switch announcement.presence {
            case .online: hold(shown.insert(announcement.user).inserted, "nobody comes twice")
            case .offline: hold(shown.remove(announcement.user) != nil, "who goes was there")
            }
        }
        if !batch.isEmpty { tracker.recordCommit(batch, now: Timestamp(milliseconds: now)) }
    }
    for report in reports {
        now += 400
        tracker.handle(report, now: Timestamp(milliseconds: now))
        announce()
    }
    tracker.handle(.begin(broker: 1, count: 0), now: Timestamp(milliseconds: now))
    tracker.handle(.end, now: Timestamp(milliseconds: now))
    for _ in 0..<1_000 {
        guard let next = tracker.nextExpiry else { break }
        now = max(now, next.milliseconds)
        announce()
    }
    hold(tracker.nextExpiry == nil && shown.isEmpty, "who is not connected is not shown for ever")
}

/// What else the plugin reports: what is read is written as it was.
@Sendable func fuzzReport(_ bytes: [UInt8]) {
    if let ids = SessionRemoval.ids(in: bytes) {
        hold(
            SessionRemoval.messages(for: ids).flatMap { SessionRemoval.ids(in: $0) ?? [] } == ids,
            "client ids are as read")
    }
    if let counts = BrokerCounts(message: bytes) { hold(counts.message == bytes, "counts are as read") }
}
