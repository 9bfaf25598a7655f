/// Whether a user is there, as friends are to see it.
package enum Presence: Hashable, Sendable {
    case online
    /// - Parameter lastSeen: when their last connection ended; `nil` where it is not known, or not disclosed.
    case offline(lastSeen: Timestamp?)
}
