/// Whether a user is there, as friends are to see it.
package enum Presence: Hashable, Sendable {
    case online
    /// - Parameter lastSeen: when his last connection ended; `nil` where it is not known, or not to be told.
    case offline(lastSeen: Timestamp?)
}
