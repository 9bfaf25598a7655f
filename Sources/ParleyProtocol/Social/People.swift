/// A person in a list.
public struct ListedPerson: GatewayObject {
    public let user: UserID
    public let displayName: String?
    public let photoURL: String?
    /// The start of the relationship.
    public let since: Timestamp?

    public init(user: UserID, displayName: String? = nil, photoURL: String? = nil, since: Timestamp? = nil) {
        (self.user, self.displayName, self.photoURL, self.since) = (user, displayName, photoURL, since)
    }

    package init<Pass: FieldPass<ListedPerson>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        displayName = try pass.optional("display_name", \.displayName, as: .name)
        photoURL = try pass.optional("photo_url", \.photoURL, as: .text(Limits.urlBytes))
        since = try pass.optional("created_at", \.since)
    }

    package func write(to writer: inout JSONWriter) { writer.object { writeMembers(to: &$0) } }
}

/// The numbers of a user's followers and of those they follow: the reply to `social/follow` and its like.
public struct FollowCounts: GatewayObject {
    public let followers: Int
    public let following: Int

    public init(followers: Int, following: Int) { (self.followers, self.following) = (followers, following) }

    package init<Pass: FieldPass<FollowCounts>>(fields pass: inout Pass) throws(Pass.Failure) {
        followers = try pass.required("followers_count", \.followers)
        following = try pass.required("following_count", \.following)
    }

    package func writeFields(to object: inout JSONWriter) { writeMembers(to: &object) }
}

/// The `data` of a reply to `social/can-message`: the verdict on a message of the caller's.
public struct PermissionReply: GatewayObject {
    public let canMessage: Bool
    /// Only one message is allowed, a message request, until it is answered.
    public let isLimited: Bool
    /// The gateway's name for the reason.
    public let reason: String

    public init(canMessage: Bool, isLimited: Bool, reason: String) {
        (self.canMessage, self.isLimited, self.reason) = (canMessage, isLimited, reason)
    }

    package init<Pass: FieldPass<PermissionReply>>(fields pass: inout Pass) throws(Pass.Failure) {
        canMessage = try pass.required("can_message", \.canMessage)
        isLimited = try pass.required("is_limited", \.isLimited, default: false)
        reason = try pass.required("reason", \.reason, as: .text(64), default: "")
    }
}
