import ParleyProtocol

/// What an operator may set, in `parleyd.json`. Whatever is not named there has its default.
package struct Settings: Hashable, Sendable {
    package var tokenLifetimeDays = 30
    package var groupMembers = Limits.groupMembers
    package var openConversations = 5000
    package var groupsByOthers = 500
    package var groupsPerUser = 1
    package var newMembersSeeHistory = false
    package var requestBurst = 60
    package var requestsPerSecond = 20
    package var typingIntervalMilliseconds = 2000
    package var presenceHoldMilliseconds = 10_000
    package var firstMessageBurst = 20
    package var firstMessagesPerHour = 30
    package var keyFetchesPerHour = 60
    package var reportsPerHour = 10
    package var accountBackupsPerHour = 10
    package var invitesPerHour = 60
    package var inviteURLPrefix = InviteLink.prefix
    package var storedBytesPerDay = 268_435_456
    package var openChallenges = 20
    package var challengesPerHour = 30
    package var stepsPerDay = 100_000
    package var caloriesPerDay = 15_000
    package var exerciseMinutesPerDay = 1440
    package var strangerLookupsPerHour = 600
    package var activitiesPerHour = 60
    package var activityReactionsPerHour = 600
    package var requestRenewalDays = 30
    package var weekGraceHours = 12
    package var checkInsPerDay = 24
    package var batchLimit = 512
    package var waitingReads = 256
    package var unpublishedLimit = 8192
    package var unpublishedBytes = 67_108_864
    package var selfRequestSeconds = 5
    package var cachedConversations = 10_000
    package var pushAlways = false
    package var pushContent = PushContent.message.rawValue
    package var pushDeadlineHours = 24
    package var pushTraceDays = 7
    package var pushAllowPrivateEndpoints = false
    package var pushConcurrency = 256
    package var pushSink = ""
    package var pushTrustFile = ""
    package var apnsKeyFile = ""
    package var apnsKeyID = ""
    package var apnsTeamID = ""
    package var apnsURL = "https://api.push.apple.com"
    package var fcmAccountFile = ""
    package var fcmURL = "https://fcm.googleapis.com"
    package var vapidSubject = ""
    /// What the broker's plugin goes by.
    package var broker = BrokerLimits()

    package init() {}

    var requestRenewal: Duration { .days(requestRenewalDays) }
    var weekGrace: Duration { .seconds(weekGraceHours * 3600) }
    var presenceHold: Duration { .milliseconds(presenceHoldMilliseconds) }
    var typingInterval: Duration { .milliseconds(typingIntervalMilliseconds) }

    package static let entries = gatewayEntries + pushEntries + brokerEntries

    private static let gatewayEntries: [Entry] = [
        Entry(
            name: "token_lifetime_days", range: 1...3650, meaning: "How long a device's token lives, in days.",
            keyPath: \.tokenLifetimeDays),
        Entry(
            name: "group_members", range: 2...CreateConversation.mostNames,
            meaning: "The most members of a group conversation.",
            keyPath: \.groupMembers),
        Entry(
            name: "open_conversations", range: 1...10_000_000,
            meaning:
                "Open conversations of a user that count for them: those they have made, joined, accepted or answered.",
            keyPath: \.openConversations),
        Entry(
            name: "groups_by_others", range: 1...10_000_000,
            meaning: "Of how many group conversations a user is a member because others have put them in.",
            keyPath: \.groupsByOthers),
        Entry(
            name: "groups_per_user", range: 1...100,
            meaning: "In how many groups that train together a user may be.",
            keyPath: \.groupsPerUser),
        Entry(
            name: "new_members_see_history",
            meaning: "Whether those who are added to a group see what was written before.",
            keyPath: \.newMembersSeeHistory),
        Entry(
            name: "request_burst", range: 1...10_000_000,
            meaning: "Requests at once of one device in one area; a user has twice that.", keyPath: \.requestBurst),
        Entry(
            name: "requests_per_second", range: 1...1_000_000,
            meaning: "Requests a second of one device in one area; a user has twice that.",
            keyPath: \.requestsPerSecond),
        Entry(
            name: "typing_interval_ms", range: 0...60_000,
            meaning: "One start of typing counts in so many milliseconds; the rest are dropped.",
            keyPath: \.typingIntervalMilliseconds),
        Entry(
            name: "presence_hold_ms", range: 0...600_000,
            meaning: "Who reconnects within so many milliseconds was never offline.",
            keyPath: \.presenceHoldMilliseconds),
        Entry(
            name: "first_message_burst", range: 1...10_000_000,
            meaning: "First messages to strangers at once, of one user.", keyPath: \.firstMessageBurst),
        Entry(
            name: "first_messages_per_hour", range: 1...10_000_000,
            meaning: "First messages to strangers an hour, of one user; each stranger put into a group counts as one.",
            keyPath: \.firstMessagesPerHour),
        Entry(
            name: "key_fetches_per_hour", range: 1...10_000_000,
            meaning: "Fetches an hour of keys of strangers (no friends, nothing shared), and refusals that name them.",
            keyPath: \.keyFetchesPerHour),
        Entry(
            name: "reports_per_hour", range: 1...10_000_000, meaning: "Reports an hour, of one user.",
            keyPath: \.reportsPerHour),
        Entry(
            name: "account_backups_per_hour", range: 1...10_000_000,
            meaning: "Backups of the account key an hour, written and read together, of one user.",
            keyPath: \.accountBackupsPerHour),
        Entry(
            name: "invites_per_hour", range: 1...10_000_000,
            meaning: "Invites to groups an hour, made, looked at and accepted together, of one user.",
            keyPath: \.invitesPerHour),
        Entry(
            name: "invite_url_prefix", beginnings: ["parley://", "https://"],
            meaning: "What links to invites begin with; the token follows.", keyPath: \.inviteURLPrefix),
        Entry(
            name: "stored_bytes_per_day", range: 1_048_576...1_125_899_906_842_624,
            meaning: "Bytes that are stored for one user a day, UTC: what they send, and 512 for each row.",
            keyPath: \.storedBytesPerDay),
        Entry(
            name: "open_challenges", range: 1...10_000,
            meaning: "Challenges of one user that are counted, or wait for an answer to them, at once.",
            keyPath: \.openChallenges),
        Entry(
            name: "challenges_per_hour", range: 1...10_000_000,
            meaning: "Challenges that one user makes an hour.", keyPath: \.challengesPerHour),
        Entry(
            name: "steps_per_day", range: 1...Limits.metricAmounts.upperBound,
            meaning: "The most steps of a day that count; more is marked as implausible.", keyPath: \.stepsPerDay),
        Entry(
            name: "calories_per_day", range: 1...Limits.metricAmounts.upperBound,
            meaning: "The most calories of a day that count; more is marked as implausible.",
            keyPath: \.caloriesPerDay),
        Entry(
            name: "exercise_minutes_per_day", range: 1...Limits.metricAmounts.upperBound,
            meaning: "The most minutes of exercise of a day that count; more is marked as implausible.",
            keyPath: \.exerciseMinutesPerDay),
        Entry(
            name: "stranger_lookups_per_hour", range: 1...10_000_000,
            meaning: "Looks an hour at profiles and lists of strangers, and follows and blocks of them.",
            keyPath: \.strangerLookupsPerHour),
        Entry(
            name: "activities_per_hour", range: 1...10_000_000,
            meaning: "Items of activity posted an hour, of one user.",
            keyPath: \.activitiesPerHour),
        Entry(
            name: "activity_reactions_per_hour", range: 1...10_000_000,
            meaning: "Reactions to items of activity an hour, given and taken back, of one user.",
            keyPath: \.activityReactionsPerHour),
        Entry(
            name: "request_renewal_days", range: 0...3650,
            meaning: "How long after the end of a friendship no message request is allowed, in days.",
            keyPath: \.requestRenewalDays),
        Entry(
            name: "week_grace_hours", range: 0...168,
            meaning: "How long after its end a week of a group takes workouts that come late, in hours.",
            keyPath: \.weekGraceHours),
        Entry(
            name: "check_ins_per_day", range: 1...100,
            meaning: "How many workouts of one day count on a board.", keyPath: \.checkInsPerDay),
        Entry(
            name: "batch_limit", range: 1...1000, meaning: "The most requests that are committed together.",
            keyPath: \.batchLimit),
        Entry(
            name: "waiting_reads", range: 1...100_000,
            meaning: "Reads that may wait for their turn, one of over 16 KiB counted once for each 16 KiB; "
                + "beyond that, whoever has most waiting is answered `unavailable`.",
            keyPath: \.waitingReads),
        Entry(
            name: "unpublished_limit", range: 64...1_000_000,
            meaning: "Events and replies that may wait for the broker before requests are left unread.",
            keyPath: \.unpublishedLimit),
        Entry(
            name: "unpublished_bytes", range: 1_048_576...1_099_511_627_776,
            meaning: "Bytes of events and replies that may wait for the broker before requests are left unread.",
            keyPath: \.unpublishedBytes),
        Entry(
            name: "self_request_seconds", range: 1...3600,
            meaning: "After so many seconds without a request the gateway sends itself one; "
                + "if three times as long nothing comes, it connects anew.",
            keyPath: \.selfRequestSeconds),
        Entry(
            name: "cached_conversations", range: 16...10_000_000,
            meaning: "Conversations and devices that the gateway keeps in memory.", keyPath: \.cachedConversations),
    ]

    /// Reads the settings' JSON. Every mistake is named: an unknown name, or a value that the setting does not take.
    package init(parsing bytes: [UInt8]) throws(SettingsError) {
        self.init()
        let object: JSONObject
        do throws(JSONError) {
            object = try JSONObject(parsing: bytes)
        } catch {
            throw SettingsError(problems: ["the file \(error.rawValue)"])
        }
        var problems: [String] = []
        for name in object.names where !Settings.entries.contains(where: { $0.name == name }) {
            problems.append("there is no setting \"\(name)\"")
        }
        for entry in Settings.entries {
            do throws(Rejection) {
                try entry.read(object, into: &self)
            } catch {
                problems.append(error.message)
            }
        }
        guard problems.isEmpty else { throw SettingsError(problems: problems) }
    }
}

/// What is wrong with a settings file, all of it.
package struct SettingsError: Error, CustomStringConvertible {
    package let problems: [String]

    package var description: String { problems.joined(separator: "; ") }
}
