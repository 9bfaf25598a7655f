/// The plugin's report of the connected users, without operators.
///
/// The full set is `begin`, any number of `everyone`, `end`, and counts when it is complete. A report outside a set is
/// a change.
package enum PresenceReport: Hashable, Sendable {
    /// The start of the full set of `count` users.
    ///
    /// `broker` names this run of the broker: another run may have lost its retained messages.
    case begin(broker: UInt64, count: UInt32)
    /// A part of the set.
    case everyone([UserID])
    /// The set is complete.
    case end
    /// The user's first connection has begun.
    case online(UserID)
    /// The user's last connection has ended, so many milliseconds ago.
    case offline(UserID, ago: UInt32 = 0)

    /// The plugin publishes here for the gateway's `intake` connection alone; no client may.
    package static let topic = AudienceChange.topic + "/presence"

    /// The most users of one `everyone`.
    package static let usersInPart = 500

    package static func set(of users: [UserID], broker: UInt64) -> [PresenceReport] {
        var reports: [PresenceReport] = [.begin(broker: broker, count: UInt32(clamping: users.count))]
        var rest = users[...]
        while !rest.isEmpty {
            reports.append(.everyone(Array(rest.prefix(usersInPart))))
            rest = rest.dropFirst(usersInPart)
        }
        reports.append(.end)
        return reports
    }
}
