/// One step of what the gateway sends the broker's plugin: which devices there are, and who hears what.
///
/// A snapshot is `begin`, any number of the others, `ready`; it is built aside and takes effect whole. What comes
/// outside a snapshot takes effect at once.
package enum AudienceChange: Hashable, Sendable {
    /// A snapshot begins; one that was begun before and did not become ready is forgotten.
    case begin(version: UInt64)
    /// What the plugin allows from now on. The gateway sends it first in each snapshot.
    case limits(BrokerLimits)
    /// A device's rights are these now. Its connections that were signed in by a token that does not sign in any more
    /// end at once.
    case device(DeviceAddress, DeviceStatus)
    /// There is no such device any more: its connections end at once.
    case deviceEnded(DeviceAddress)
    /// These, and no others, are the members of a conversation. Past `maximumMembers` they are left out.
    ///
    /// All of them may subscribe. Those whom `silences` names have blocked the other of a direct conversation.
    case conversation(ConversationID, members: [UserID], silences: [Silence] = [])
    /// Nobody hears a conversation any more.
    case conversationEnded(ConversationID)
    /// What is published of a group is for the members of this conversation, whoever they are at the time.
    case group(GroupID, of: ConversationID)
    /// Nobody hears a group any more.
    case groupEnded(GroupID)
    /// The two hear each other's presence and activity.
    case friends(UserID, UserID)
    /// The two are no friends any more, or one has blocked the other.
    case friendsEnded(UserID, UserID)
    /// The snapshot of this version is whole.
    case ready(version: UInt64)

    /// Where the plugin receives changes.
    package static let topic = "$CONTROL/parley/v1"
    /// Where the plugin answers, to the gateway's `out` connection alone.
    package static let responseTopic = topic + "/response"

    /// Far above any group; it bounds one change to `AudienceCodec.maximumLength`.
    package static let maximumMembers = 10_000
    /// Of a direct conversation there are two members.
    package static let maximumSilences = 2
}

/// That a member of a conversation hears nothing of what others do there: they have blocked them.
///
/// They hear what they do themselves. The other must not learn of the block, so there is no silence of theirs: they
/// hear what happens like any member, and the gateway lets nothing happen that they should not hear.
package struct Silence: Hashable, Sendable {
    package let user: UserID
    /// The last place of the log whose record they do not hear; `always` as long as the block lasts, and of whatever
    /// others do. What was written under a block stays silent after it, even when it is published late.
    package let through: UInt64

    package static let always = UInt64.max

    package init(of user: UserID, through: UInt64 = Silence.always) { (self.user, self.through) = (user, through) }
}

/// What a device's rights go by, from the gateway's own tables.
package struct DeviceStatus: Hashable, Sendable {
    /// The token that signs the device in.
    package let token: TokenID
    /// Seconds since 1970: from then on the token signs nobody in, and the sessions that it signed in have ended.
    package let expiresAt: Int64
    package let isOperator: Bool
    /// The token before `token`, as long as it signs in as well.
    package let previous: PreviousToken?
    /// When this device got the name after another one of the name was revoked, in milliseconds since 1970;
    /// `nil` if it has always been this one's. The broker may still have a session of the revoked one.
    package let nameReusedAt: Int64?

    package init(
        token: TokenID, expiresAt: Int64, isOperator: Bool, previous: PreviousToken? = nil, nameReusedAt: Int64? = nil
    ) {
        self.token = token
        self.expiresAt = expiresAt
        self.isOperator = isOperator
        self.previous = previous
        self.nameReusedAt = nameReusedAt
    }

    /// When the token ends, and with it what it has signed in, in seconds since 1970; `nil` if it is none of the
    /// device's.
    package func end(of token: TokenID) -> Int64? {
        if token == self.token { return expiresAt }
        return token == previous?.token ? previous?.endsAt : nil
    }

    /// The same once `token` has signed in: there is no other any more.
    package var withoutPrevious: DeviceStatus {
        DeviceStatus(token: token, expiresAt: expiresAt, isOperator: isOperator, nameReusedAt: nameReusedAt)
    }
}

/// The token of a device that was renewed, which signs in until the new one has, and no longer than until `endsAt`.
package struct PreviousToken: Hashable, Sendable {
    package let token: TokenID
    /// Seconds since 1970.
    package let endsAt: Int64

    package init(token: TokenID, endsAt: Int64) { (self.token, self.endsAt) = (token, endsAt) }
}

/// What the plugin answers to changes.
package enum AudienceAnswer: Hashable, Sendable {
    /// The snapshot of this version is in force: devices may sign in.
    case ready(version: UInt64)
    /// A message was refused whole and devices are shut out until a new snapshot is ready.
    case snapshotNeeded(AudienceFeedError)
}

/// Why the plugin refused a message of changes.
package enum AudienceFeedError: UInt8, Error, Hashable, Sendable, CaseIterable {
    /// The bytes are no message of changes.
    case malformed = 1
    /// The bytes are of another version of the format.
    case unsupportedFormat = 2
    /// A change came before any snapshot, or a snapshot became ready that was not begun.
    case outOfOrder = 3
}
