/// The presence of a user, as disclosed to friends.
package enum Presence: Hashable, Sendable {
    case online
    /// - Parameter lastSeen: the end of their last connection; `nil` if it is unknown or not disclosed.
    case offline(lastSeen: Timestamp?)
}
