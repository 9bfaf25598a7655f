/// What the broker's plugin reports to the gateway of who is connected: users, not their devices, and no operators.
///
/// The whole set is reported as `begin`, any number of `everyone`, `end`; it counts when it is whole. What comes
/// outside a set is a change.
package enum PresenceReport: Hashable, Sendable {
    /// A set of everybody who is connected begins, of `count` users.
    ///
    /// `broker` names this run of the broker: another run may have forgotten what was retained.
    case begin(broker: UInt64, count: UInt32)
    /// Some of the set.
    case everyone([UserID])
    /// The set is whole.
    case end
    /// The user's first connection is open.
    case online(UserID)
    /// The user's last connection has ended, so many milliseconds ago.
    case offline(UserID, ago: UInt32 = 0)

    /// Where the plugin publishes it, for the gateway's `intake` connection alone. No client may publish to it.
    package static let topic = AudienceChange.topic + "/presence"

    /// How many users one `everyone` names at most; more are in several.
    package static let usersInPart = 500

    /// The whole set.
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
