import ParleyProtocol

/// Decides who sees what a user has achieved (protocol §5, `activity/list` and `summary/get`).
package enum ViewActivityRule {
    /// - Parameters:
    ///   - isMember: whether there is such a user.
    ///   - contact: what is between that user and the caller.
    /// - Throws: `not_found` for nobody, `forbidden` to a stranger.
    package static func check(isMember: Bool, _ contact: Contact?) throws(Rejection) {
        guard isMember else { throw .userNotFound }
        guard contact?.areFriends == true else { throw Rejection(.forbidden, "This is for friends.") }
    }
}
