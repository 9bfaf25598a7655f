import ParleyProtocol

/// The cursor among conversations without missing records.
///
/// News come first: a device that asks for no second page has these, names them in its next cursors, and so gets the
/// others.
package struct SyncPosition: Hashable, Sendable, Comparable {
    private enum Rank: UInt8, Comparable {
        case beginning, news, known

        static func < (one: Rank, other: Rank) -> Bool { one.rawValue < other.rawValue }
    }

    private let rank: Rank
    private let conversation: ConversationID

    /// Before all conversations.
    package static let beginning = SyncPosition(
        rank: .beginning, conversation: ConversationID(UUIDValue(high: 0, low: 0)))

    private init(rank: Rank, conversation: ConversationID) {
        self.rank = rank
        self.conversation = conversation
    }

    package init(_ plan: SyncPlan, of conversation: ConversationID) {
        self.init(rank: plan.isNews ? .news : .known, conversation: conversation)
    }

    /// - Returns: `nil` unless these are the `bytes` of a position.
    package init?(bytes: [UInt8]) {
        guard let first = bytes.first, let rank = Rank(rawValue: first),
            let conversation = ConversationID(bytes: bytes.dropFirst())
        else { return nil }
        self.init(rank: rank, conversation: conversation)
    }

    package var bytes: [UInt8] { [rank.rawValue] + conversation.value.bytes }

    package static func < (one: SyncPosition, other: SyncPosition) -> Bool {
        one.rank == other.rank ? one.conversation < other.conversation : one.rank < other.rank
    }
}
