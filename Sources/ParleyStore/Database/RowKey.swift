import ParleyProtocol

/// The number of a row inside the database: later rows have greater ones.
package struct RowKey<Item>: Hashable, Comparable, Sendable {
    package let value: Int64

    package init(value: Int64) { self.value = value }

    package static func < (one: RowKey, other: RowKey) -> Bool { one.value < other.value }
}

package typealias ActivityKey = RowKey<ActivityItem>
package typealias ChallengeKey = RowKey<Challenge>
package typealias ConversationKey = RowKey<Conversation>
package typealias GroupKey = RowKey<TrainingGroup>
package typealias InviteKey = RowKey<Invite>
package typealias ReportKey = RowKey<Report>
