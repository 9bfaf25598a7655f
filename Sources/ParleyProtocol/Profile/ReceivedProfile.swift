/// A profile as a device has it: of others only the name, the picture and the counts.
public struct ReceivedProfile: Hashable, Sendable {
    public let user: UserID
    public let displayName: String
    public let photoURL: String?
    public let followersCount: Int
    public let followingCount: Int
    /// How the user wants to be treated; only of the caller's own.
    public let settings: Settings?

    /// What of a profile its owner alone sees.
    public struct Settings: Hashable, Sendable {
        public let messagePrivacy: Named<MessagePrivacy>
        public let sharesWorkoutData: Bool
        public let sendsReadReceipts: Bool
        public let sendsTyping: Bool
        public let presence: Named<PresencePrivacy>
        public let quietHours: QuietHours?
        public let timeZone: String?

        public init(
            messagePrivacy: Named<MessagePrivacy>, sharesWorkoutData: Bool, sendsReadReceipts: Bool, sendsTyping: Bool,
            presence: Named<PresencePrivacy>, quietHours: QuietHours?, timeZone: String?
        ) {
            self.messagePrivacy = messagePrivacy
            self.sharesWorkoutData = sharesWorkoutData
            self.sendsReadReceipts = sendsReadReceipts
            self.sendsTyping = sendsTyping
            self.presence = presence
            self.quietHours = quietHours
            self.timeZone = timeZone
        }
    }

    public init(
        user: UserID, displayName: String, photoURL: String?, followersCount: Int, followingCount: Int,
        settings: Settings?
    ) {
        self.user = user
        self.displayName = displayName
        self.photoURL = photoURL
        self.followersCount = followersCount
        self.followingCount = followingCount
        self.settings = settings
    }
}

extension ReceivedProfile: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            user: try object.level("user_id").required("user_id"),
            displayName: try object.text("display_name", maximum: ReceivedConversation.longestName)
                .required("display_name"),
            photoURL: try object.text("photo_url", maximum: Limits.urlBytes),
            followersCount: try object.count("followers_count") ?? 0,
            followingCount: try object.count("following_count") ?? 0,
            settings: object.has("message_privacy") ? try Settings(members: object) : nil)
    }
}

extension ReceivedProfile.Settings: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            messagePrivacy: try object.named("message_privacy").required("message_privacy"),
            sharesWorkoutData: try object.bool("share_workout_data").required("share_workout_data"),
            sendsReadReceipts: try object.bool("send_read_receipts").required("send_read_receipts"),
            sendsTyping: try object.bool("send_typing").required("send_typing"),
            presence: try object.named("presence").required("presence"),
            quietHours: try object.object("quiet_hours").map { (hours) throws(Rejection) in try QuietHours(hours) },
            timeZone: try object.text("time_zone", maximum: 64))
    }
}
