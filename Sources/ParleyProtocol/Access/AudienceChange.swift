/// One step of the gateway's feed to the broker's plugin: the devices there are, and the audience of each topic.
///
/// A snapshot is `begin`, any number of the others, `ready`; it is built aside and takes effect as a whole. A change
/// outside a snapshot takes effect at once.
package enum AudienceChange: Hashable, Sendable {
    /// Begins a snapshot; an earlier one that is not ready is discarded.
    case begin(version: UInt64)
    /// The limits that the plugin enforces. The gateway sends them first in each snapshot.
    case limits(BrokerLimits)
    /// The device's rights. Its connections whose token no longer signs in end at once.
    case device(DeviceAddress, DeviceStatus)
    /// The device does not exist any more: its connections end at once.
    case deviceEnded(DeviceAddress)
    /// The members of a conversation, who may subscribe; those past `maximumMembers` are left out.
    ///
    /// The members in `silences` do not hear all of it.
    case conversation(ConversationID, members: [UserID], silences: [Silence] = [])
    case conversationEnded(ConversationID)
    /// The events of a group are for the members of this conversation, whoever they are at the time.
    case group(GroupID, of: ConversationID)
    case groupEnded(GroupID)
    /// The two receive each other's presence and activity.
    case friends(UserID, UserID)
    /// The two are friends no more, or one has blocked the other.
    case friendsEnded(UserID, UserID)
    /// The snapshot of this version is complete.
    case ready(version: UInt64)
    /// Until when the gateway may let devices hear anything, among others with the same store: in nanoseconds since the
    /// start of the machine. Without another one by then all devices are shut out, until the next snapshot.
    case lease(until: UInt64)

    /// Where the plugin receives changes.
    package static let topic = "$CONTROL/parley/v1"
    /// Where the plugin answers, to the gateway's `out` connection alone.
    package static let responseTopic = topic + "/response"

    /// Far above the members of any group; it bounds one change to `AudienceCodec.maximumLength`.
    package static let maximumMembers = 10_000
    /// Above the members of any group.
    package static let maximumSilences = 255
}

/// A member who does not hear others' actions in a conversation: of a direct one because they have blocked the other,
/// of a group up to where they joined it.
///
/// They hear their own actions. Whom they have blocked must not learn of it and has no silence: they hear everything
/// like any member, and the gateway publishes nothing that they should not hear.
package struct Silence: Hashable, Sendable {
    package let user: UserID
    /// The last seq that is withheld; `always` while a block lasts, for every event. A record written under a block, or
    /// before they joined, stays withheld even when it is published late.
    package let through: UInt64

    package static let always = UInt64.max

    package init(of user: UserID, through: UInt64 = Silence.always) { (self.user, self.through) = (user, through) }

    /// `nil` for a member who hears everything.
    ///
    /// - Parameters:
    ///   - withheld: the last seq of records that others have written under a block.
    ///   - joinedSeq: the last seq before they joined.
    package init?(of user: UserID, withheld: Int, joinedSeq: Int) {
        let through = max(withheld, joinedSeq)
        guard through > 0 else { return nil }
        self.init(of: user, through: UInt64(clamping: through))
    }
}

/// The rights of a device, from the gateway's tables.
package struct DeviceStatus: Hashable, Sendable {
    /// The token that signs the device in.
    package let token: TokenID
    /// The expiry of the token and of the sessions that it signed in, in seconds since 1970.
    package let expiresAt: Int64
    package let role: DeviceRole
    /// The token before `token`, while it still signs in.
    package let previous: PreviousToken?
    /// When the name passed to this device from a revoked one, in milliseconds since 1970; `nil` if it has always been
    /// this device's. The broker may still have a session of the revoked one.
    package let nameReusedAt: Int64?

    package init(
        token: TokenID, expiresAt: Int64, role: DeviceRole, previous: PreviousToken? = nil, nameReusedAt: Int64? = nil
    ) {
        self.token = token
        self.expiresAt = expiresAt
        self.role = role
        self.previous = previous
        self.nameReusedAt = nameReusedAt
    }

    /// The expiry of the token and of its sessions, in seconds since 1970; `nil` if it is not the device's.
    package func end(of token: TokenID) -> Int64? {
        if token == self.token { return expiresAt }
        return token == previous?.token ? previous?.endsAt : nil
    }

    /// The status after `token` has signed in.
    package var withoutPrevious: DeviceStatus {
        DeviceStatus(token: token, expiresAt: expiresAt, role: role, nameReusedAt: nameReusedAt)
    }
}

/// The token before a renewal: it signs in until the new one has, and no longer than until `endsAt`.
package struct PreviousToken: Hashable, Sendable {
    package let token: TokenID
    /// Seconds since 1970.
    package let endsAt: Int64

    package init(token: TokenID, endsAt: Int64) { (self.token, self.endsAt) = (token, endsAt) }
}

/// The plugin's answer to changes.
package enum AudienceAnswer: Hashable, Sendable {
    /// The snapshot of this version is in force: devices may sign in.
    case ready(version: UInt64)
    /// A message was refused as a whole, and no device may sign in until a new snapshot is ready.
    case snapshotNeeded(AudienceFeedError)
}

/// Why the plugin refused a message of changes.
package enum AudienceFeedError: UInt8, Error, Hashable, Sendable, CaseIterable {
    case malformed = 1
    case unsupportedFormat = 2
    /// A change came before any snapshot, or a snapshot became ready that was not begun.
    case outOfOrder = 3
    /// The gateway's lease is over.
    case leaseOver = 4
}
