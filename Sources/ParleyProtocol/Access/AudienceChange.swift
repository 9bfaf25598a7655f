/// One step of what the gateway tells the broker's plugin: which devices there are, and who hears what.
///
/// A snapshot is `begin`, any number of the others, `ready`; it is built aside and takes effect whole. What comes
/// outside a snapshot takes effect at once.
package enum AudienceChange: Hashable, Sendable {
    /// A snapshot begins; one that was begun before and did not become ready is forgotten.
    case begin(version: UInt64)
    /// What the plugin allows from now on. The gateway sends it first in each snapshot.
    case limits(BrokerLimits)
    /// This is how a device now stands. With `endsSessions`, connections signed in by another token end at once (its
    /// token was made anew); without, they go on and end with the new expiry (its token was renewed).
    case device(DeviceAddress, DeviceStanding, endsSessions: Bool)
    /// There is no such device any more: its connections end at once.
    case deviceEnded(DeviceAddress)
    /// These, and no others, are the members of a conversation. Past `maximumMembers` they are left out.
    ///
    /// While it `isSilent` they may subscribe as before and nothing new reaches them: a direct conversation in which one
    /// has blocked the other, who must not learn of it.
    case conversation(ConversationID, members: [UserID], isSilent: Bool)
    /// Nobody hears a conversation any more.
    case conversationEnded(ConversationID)
    /// The two hear each other's presence and activity.
    case friends(UserID, UserID)
    /// The two are no friends any more, or one has blocked the other.
    case friendsEnded(UserID, UserID)
    /// The snapshot of this version is whole.
    case ready(version: UInt64)

    /// Where the plugin takes changes.
    package static let topic = "$CONTROL/parley/v1"
    /// Where the plugin answers, to the gateway's `out` connection alone.
    package static let responseTopic = "$CONTROL/parley/v1/response"

    /// Far above any group; it keeps one change within `AudienceCodec.maximumLength`.
    package static let maximumMembers = 10_000
}

/// What a device's rights go by, from the gateway's own tables.
package struct DeviceStanding: Hashable, Sendable {
    /// The one token that signs the device in.
    package let token: TokenID
    /// Seconds since 1970: from then on the device has no sessions.
    package let expiresAt: Int64
    package let isOperator: Bool

    package init(token: TokenID, expiresAt: Int64, isOperator: Bool) {
        self.token = token
        self.expiresAt = expiresAt
        self.isOperator = isOperator
    }
}

/// What the plugin answers to changes.
package enum AudienceAnswer: Hashable, Sendable {
    /// The snapshot of this version is in force: devices may sign in.
    case ready(version: UInt64)
    /// A message was refused whole and devices are shut out until a new snapshot is ready.
    case snapshotNeeded(AudienceRefusal)
}

/// Why the plugin refused a message of changes.
package enum AudienceRefusal: UInt8, Error, Hashable, Sendable, CaseIterable {
    /// The bytes are no message of changes.
    case malformed = 1
    /// The bytes are of another version of the format.
    case unsupportedFormat = 2
    /// A change came before any snapshot, or a snapshot became ready that was not begun.
    case outOfOrder = 3
}
