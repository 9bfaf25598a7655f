import ParleyProtocol

/// Who is typing where: a state machine whose methods return the announcements.
///
/// A start lasts 5 s without renewal; then the tracker announces the stop. One start in 2 s counts, others are dropped
/// silently (protocol §4), as are starts beyond the capacity. When the clock steps back, stored times step back with
/// it.
package struct TypingTracker: Sendable {
    private struct Key: Hashable, Sendable {
        let conversation: ConversationID
        let sender: DeviceAddress
    }

    private struct Entry: Sendable {
        var startedAt: Timestamp
        var expiresAt: Timestamp
    }

    private var entries: [Key: Entry] = [:]
    /// The last counted start of senders who are not typing now, while it limits the next.
    private var lastStarts: [Key: Timestamp] = [:]
    /// No stop is due earlier, and no last start can be forgotten earlier.
    private var nothingDueBefore = Timestamp.latest
    /// The last `now`.
    private var clock = Timestamp.earliest
    private let capacity: Int
    private let startInterval: Duration

    package init(capacity: Int = 10_000, startInterval: Duration) {
        (self.capacity, self.startInterval) = (capacity, startInterval)
    }

    package var count: Int { entries.count }

    /// - Returns: the announcement; `nil` where the start does not count.
    package mutating func start(
        _ conversation: ConversationID, sender: DeviceAddress, now: Timestamp
    ) -> TypingIndicator? {
        follow(now)
        let key = Key(conversation: conversation, sender: sender)
        if let last = entries[key]?.startedAt ?? lastStarts[key], now < limitEnd(last) { return nil }
        guard entries[key] != nil || entries.count < capacity else { return nil }
        let expiresAt = now.advanced(byMilliseconds: Int64(Limits.typingMilliseconds))
        entries[key] = Entry(startedAt: now, expiresAt: expiresAt)
        lastStarts[key] = nil
        nothingDueBefore = min(nothingDueBefore, expiresAt)
        return TypingIndicator(conversation: conversation, sender: sender, isTyping: true, expiresAt: expiresAt)
    }

    /// - Returns: the announcement; `nil` if the sender was not typing.
    package mutating func stop(
        _ conversation: ConversationID, sender: DeviceAddress, now: Timestamp
    ) -> TypingIndicator? {
        follow(now)
        let key = Key(conversation: conversation, sender: sender)
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        remember(entry.startedAt, of: key, now: now)
        return TypingIndicator(conversation: conversation, sender: sender, isTyping: false, expiresAt: now)
    }

    /// Removes all devices of a user who has left a conversation.
    ///
    /// - Returns: the announcements to the remaining members.
    package mutating func leave(
        _ conversation: ConversationID, user: UserID, now: Timestamp
    ) -> [TypingIndicator] {
        follow(now)
        let isGone = { (key: Key) in key.conversation == conversation && key.sender.user == user }
        lastStarts = lastStarts.filter { !isGone($0.key) }
        let typing = entries.keys.filter(isGone)
        for key in typing { entries[key] = nil }
        return typing.map {
            TypingIndicator(conversation: conversation, sender: $0.sender, isTyping: false, expiresAt: now)
        }
    }

    /// Drains the stops that are due.
    package mutating func expire(now: Timestamp) -> [TypingIndicator] {
        follow(now)
        guard now >= nothingDueBefore else { return [] }
        lastStarts = lastStarts.filter { now < limitEnd($0.value) }
        let due = entries.filter { $0.value.expiresAt <= now }
        for (key, entry) in due {
            entries[key] = nil
            remember(entry.startedAt, of: key, now: now)
        }
        nothingDueBefore = min(
            entries.values.map(\.expiresAt).min() ?? .latest, lastStarts.values.map(limitEnd).min() ?? .latest)
        return due.map { key, entry in
            TypingIndicator(
                conversation: key.conversation, sender: key.sender, isTyping: false, expiresAt: entry.expiresAt)
        }
    }

    /// When `expire` may have something to do; `nil` while nobody types.
    package var nextExpiry: Timestamp? { nothingDueBefore == .latest ? nil : nothingDueBefore }

    // MARK: Times

    private func limitEnd(_ start: Timestamp) -> Timestamp {
        start.advanced(by: startInterval)
    }

    /// Keeps the start of a sender who has stopped, while it limits the next.
    private mutating func remember(_ start: Timestamp, of key: Key, now: Timestamp) {
        guard now < limitEnd(start), lastStarts.count < capacity else { return }
        lastStarts[key] = start
        nothingDueBefore = min(nothingDueBefore, limitEnd(start))
    }

    private mutating func follow(_ now: Timestamp) {
        defer { clock = now }
        guard now < clock else { return }
        let step = now.milliseconds - clock.milliseconds
        for key in entries.keys {
            entries[key]?.startedAt.advance(byMilliseconds: step)
            entries[key]?.expiresAt.advance(byMilliseconds: step)
        }
        for key in lastStarts.keys { lastStarts[key]?.advance(byMilliseconds: step) }
        if nothingDueBefore != .latest { nothingDueBefore.advance(byMilliseconds: step) }
    }
}
