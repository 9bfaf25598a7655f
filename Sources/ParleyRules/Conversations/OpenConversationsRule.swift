import ParleyProtocol

/// Decides whether somebody may have one more open conversation (protocol §4, Limits).
///
/// A conversation counts for those who have it by an act of their own: they have made it, come into it by an invite,
/// accepted a request, or answered in one that was not theirs. What others do counts for nobody but them: into how many
/// groups somebody may be put is bounded by itself (`GroupEntryRule`), and no message of others uses up what is a
/// user's own.
package enum OpenConversationsRule {
    /// - Parameters:
    ///   - counted: how many count for them; no more than the limit need be counted.
    ///   - most: how many may.
    /// - Throws: `forbidden`
    package static func open(counted: Int, most: Int) throws(Rejection) {
        guard counted >= most else { return }
        throw Rejection(.forbidden, "You have \(most) open conversations, and may have no more of your own.")
    }
}
