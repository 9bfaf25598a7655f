import ParleyProtocol

/// Decides who sees a user's activity (protocol §5, `activity/list` and `summary/get`).
package enum ViewActivityRule {
    /// - Parameters:
    ///   - isMember: whether the user exists.
    ///   - contact: of that user and the caller.
    /// - Throws: `not_found` for an unknown user, `forbidden` to a stranger.
    package static func check(isMember: Bool, _ contact: Contact?) throws(Rejection) {
        guard isMember else { throw .userNotFound }
        guard contact?.areFriends == true else { throw Rejection(.forbidden, "This is for friends.") }
    }
}
