/// A profile as shown to a user: of others only the name, the picture and the counts (protocol §5).
public struct ShownProfile: GatewayObject {
    public let user: UserID
    public let displayName: String
    public let photoURL: String?
    public let followersCount: Int
    public let followingCount: Int
    /// `nil` except in the caller's own.
    public let settings: Settings?

    /// The part of a profile that its owner alone sees.
    public struct Settings: GatewayObject {
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

        package init<Pass: FieldPass<Self>>(fields pass: inout Pass) throws(Pass.Failure) {
            messagePrivacy = try pass.required("message_privacy", \.messagePrivacy)
            sharesWorkoutData = try pass.required("share_workout_data", \.sharesWorkoutData)
            sendsReadReceipts = try pass.required("send_read_receipts", \.sendsReadReceipts)
            sendsTyping = try pass.required("send_typing", \.sendsTyping)
            presence = try pass.required("presence", \.presence)
            quietHours = try pass.optional("quiet_hours", \.quietHours, as: .object())
            timeZone = try pass.optional("time_zone", \.timeZone, as: .text(64))
        }

        fileprivate init(_ profile: Profile) {
            self.init(
                messagePrivacy: .known(profile.messagePrivacy), sharesWorkoutData: profile.sharesWorkoutData,
                sendsReadReceipts: profile.sendsReadReceipts, sendsTyping: profile.sendsTyping,
                presence: .known(profile.presence), quietHours: profile.quietHours, timeZone: profile.timeZone)
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

    package init(_ profile: Profile, _ counts: FollowCounts, forOwner: Bool) {
        self.init(
            user: profile.user, displayName: profile.displayName, photoURL: profile.photoURL,
            followersCount: counts.followers, followingCount: counts.following,
            settings: forOwner ? Settings(profile) : nil)
    }

    package init<Pass: FieldPass<ShownProfile>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        displayName = try pass.required("display_name", \.displayName, as: .name)
        photoURL = try pass.optional("photo_url", \.photoURL, as: .text(Limits.urlBytes))
        followersCount = try pass.required("followers_count", \.followersCount, default: 0)
        followingCount = try pass.required("following_count", \.followingCount, default: 0)
        settings = try pass.part(\.settings, shownBy: "message_privacy")
    }
}
