import ParleyProtocol

/// An item of activity that the gateway creates.
package struct NewActivity: Hashable, Sendable {
    package let type: ActivityType
    package let title: String
    /// A JSON object.
    package let metadata: [UInt8]
    /// A user has one item for each key.
    package let key: String

    /// - Parameter firstDay: of the streak, as in `2026-01-15`: each length is a milestone once in a streak.
    package static func streakMilestone(days: Int, since firstDay: String) -> NewActivity {
        NewActivity(.streakMilestone, "\(days) days in a row", key: "streak/\(firstDay)/\(days)") {
            $0.member("days", days)
            $0.member("since", firstDay)
        }
    }

    package static func challengeWon(_ challenge: ChallengeID, _ type: ChallengeType, target: Int) -> NewActivity {
        NewActivity(.challengeWon, "Challenge won", key: "challenge/\(challenge)") {
            $0.member("challenge_id", challenge)
            $0.member("challenge_type", type.rawValue)
            $0.member("target", target)
        }
    }

    private init(_ type: ActivityType, _ title: String, key: String, _ metadata: (inout JSONWriter) -> Void) {
        self.type = type
        self.title = title
        self.key = key
        var writer = JSONWriter()
        writer.object(metadata)
        self.metadata = writer.finish()
    }
}

/// The lengths of a streak that become activity.
package enum StreakMilestones {
    private static let first = [3, 7, 14, 30, 50, 100, 200, 365]

    package static func contains(_ days: Int) -> Bool {
        first.contains(days) || (days > 365 && days % 365 == 0)
    }

    /// The milestones between two lengths of a streak, in order.
    package static func reached(from before: Int, to now: Int) -> [Int] {
        guard before < now else { return [] }
        let years = now >= 730 ? (2...now / 365).map { $0 * 365 } : []
        return (first + years).filter { $0 > before && $0 <= now }
    }
}

/// How much activity is kept.
package enum ActivityFeed {
    package static let lifetime = Duration.days(90)
    /// Items of one user: a further one drops the oldest.
    package static let most = 500
}

extension ActivityItem {
    /// The bytes that it counts for.
    package var storageCost: Int {
        StorageCost.row + title.utf8.count + (description?.utf8.count ?? 0) + metadata.count
    }
}
