/// Somebody in a list of people, as a device has it.
public struct ListedPerson: Hashable, Sendable {
    public let user: UserID
    public let displayName: String?
    public let photoURL: String?

    public init(user: UserID, displayName: String? = nil, photoURL: String? = nil) {
        self.user = user
        self.displayName = displayName
        self.photoURL = photoURL
    }
}

extension ListedPerson: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            user: try object.level("user_id").required("user_id"),
            displayName: try object.text("display_name", maximum: ReceivedConversation.longestName),
            photoURL: try object.text("photo_url", maximum: Limits.urlBytes))
    }
}

/// How many follow somebody, and how many he follows: what `social/follow` and its like answer.
public struct FollowCounts: Hashable, Sendable {
    public let followers: Int
    public let following: Int

    public init(followers: Int, following: Int) {
        self.followers = followers
        self.following = following
    }

    package func writeFields(to object: inout JSONWriter) {
        object.member("followers_count", followers)
        object.member("following_count", following)
    }
}

extension FollowCounts: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            followers: try object.count("followers_count").required("followers_count"),
            following: try object.count("following_count").required("following_count"))
    }
}

/// The `data` of a reply to `social/can-message`: what a message of the caller's would meet with.
public struct ReceivedPermission: Hashable, Sendable {
    public let canMessage: Bool
    /// There is one message, a message request, until it is answered.
    public let isLimited: Bool
    /// By the gateway's name for it: why, or why not.
    public let reason: String

    public init(canMessage: Bool, isLimited: Bool, reason: String) {
        self.canMessage = canMessage
        self.isLimited = isLimited
        self.reason = reason
    }
}

extension ReceivedPermission: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            canMessage: try object.bool("can_message").required("can_message"),
            isLimited: try object.bool("is_limited") ?? false,
            reason: try object.text("reason", maximum: 64) ?? "")
    }
}
