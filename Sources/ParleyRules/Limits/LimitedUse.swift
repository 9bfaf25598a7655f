import ParleyProtocol

/// What a user may do so often an hour.
///
/// The raw value names it in the database: it is never given another meaning.
package enum LimitedUse: String, CaseIterable, Sendable {
    case firstMessages = "first_messages"
    case reports
    /// Backups of an account key written and read, together.
    case backups
    /// Fetches of strangers' keys.
    case keyFetches = "key_fetches"
    /// Invites made, looked at and accepted, together.
    case invites
    /// Lookups of strangers: their profiles and lists, and all that discloses whether a user exists.
    case lookups
    /// Challenges made.
    case challenges
    /// Items of activity posted.
    case activities
    /// Reactions to items of activity, given and taken back.
    case activityReactions = "activity_reactions"
    /// Sealed bytes of blobs, in units of 64 KiB.
    case blobs
}

/// Whose count, and of what.
package struct LimitKey: Hashable, Sendable {
    package let user: UserID
    package let use: LimitedUse

    package init(_ use: LimitedUse, of user: UserID) { (self.user, self.use) = (user, use) }
}
