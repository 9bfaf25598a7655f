/// The count of a board (protocol §5).
public enum LeaderboardType: String, Sendable, CaseIterable, Codable {
    /// Workouts in the week.
    case checkIns = "check-ins"
    /// Days in a row with a workout.
    case streak

    package var channel: GroupChannel {
        switch self {
        case .checkIns: .checkIns
        case .streak: .streak
        }
    }
}

/// The board object of protocol §5: the ranking of a group's members in a week.
public struct Leaderboard: AddressedEvent, GatewayObject {
    package static let names = ["leaderboard.updated"]
    package static var isRetained: Bool { true }
    package var topic: Topic { .group(group, type.value?.channel ?? .checkIns) }
    package var received: ReceivedEvent { .leaderboard(self) }

    public let group: GroupID
    public let type: Named<LeaderboardType>
    public let week: ISOWeek
    /// The week is half-open: it includes this instant, and not `endsAt`.
    public let startsAt: Timestamp
    public let endsAt: Timestamp
    /// The board is final from then on; until then late workouts still count.
    public let closesAt: Timestamp
    /// The end of the current week.
    public let nextResetAt: Timestamp
    /// Increases with every change.
    public let version: Int
    public let isFinal: Bool
    /// By rank.
    public let entries: [Entry]

    /// A member with a value above zero.
    public struct Entry: GatewayObject {
        public let user: UserID
        public let displayName: String
        public let photoURL: String?
        public let value: Int
        /// Equal values share a rank, and the next rank is skipped (1, 1, 3).
        public let rank: Int
        /// The rank before its last change on this board.
        public let previousRank: Int?
        /// The time of the workout that brought the value.
        public let reachedAt: Timestamp

        public init(
            user: UserID, displayName: String, photoURL: String?, value: Int, rank: Int, previousRank: Int?,
            reachedAt: Timestamp
        ) {
            self.user = user
            self.displayName = displayName
            self.photoURL = photoURL
            self.value = value
            self.rank = rank
            self.previousRank = previousRank
            self.reachedAt = reachedAt
        }

        @inline(__always)
        package init<Pass: FieldPass<Leaderboard.Entry>>(fields pass: inout Pass) throws(Pass.Failure) {
            user = try pass.required("user_id", \.user)
            displayName = try pass.required("display_name", \.displayName, as: .name)
            photoURL = try pass.optional("photo_url", \.photoURL, as: .text(Limits.urlBytes))
            value = try pass.required("value", \.value)
            rank = try pass.required("rank", \.rank)
            previousRank = try pass.optional("previous_rank", \.previousRank)
            reachedAt = try pass.required("reached_at", \.reachedAt)
        }
    }

    public init(
        group: GroupID, type: Named<LeaderboardType>, week: ISOWeek, startsAt: Timestamp, endsAt: Timestamp,
        closesAt: Timestamp, nextResetAt: Timestamp, version: Int, isFinal: Bool, entries: [Entry]
    ) {
        self.group = group
        self.type = type
        self.week = week
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.closesAt = closesAt
        self.nextResetAt = nextResetAt
        self.version = version
        self.isFinal = isFinal
        self.entries = entries
    }

    /// A board of an unknown type has no known topic.
    package func belongs(on topic: Topic) -> Bool { type.value != nil && topic == self.topic }

    package init<Pass: FieldPass<Leaderboard>>(fields pass: inout Pass) throws(Pass.Failure) {
        group = try pass.required("group_id", \.group)
        type = try pass.required("type", \.type)
        week = try pass.required("week", \.week)
        startsAt = try pass.required("starts_at", \.startsAt)
        endsAt = try pass.required("ends_at", \.endsAt)
        closesAt = try pass.required("closes_at", \.closesAt)
        nextResetAt = try pass.required("next_reset_at", \.nextResetAt)
        version = try pass.required("version", \.version)
        isFinal = try pass.required("is_final", \.isFinal)
        entries = try pass.required("entries", \.entries, as: .objects())
    }
}
