import ParleyProtocol

/// Decides whether a user may have one more open conversation (protocol §4, Limits).
///
/// A conversation counts for members by whose own act it is open: they have created it, used an invite, accepted a
/// request or answered one. So acts of others use up nobody's limit; being added to groups has its own
/// (`GroupEntryRule`).
package enum OpenConversationsRule {
    /// - Parameters:
    ///   - counted: the user's, counted up to the limit.
    ///   - most: the limit.
    /// - Throws: `forbidden`
    package static func open(counted: Int, most: Int) throws(Rejection) {
        guard counted >= most else { return }
        throw Rejection(.forbidden, "You have \(most) open conversations, and may have no more of your own.")
    }
}
