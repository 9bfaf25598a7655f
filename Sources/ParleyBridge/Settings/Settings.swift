import ParleyProtocol

/// The settings in `parleyd.json`. A setting that is not named there has its default.
package struct Settings: Hashable, Sendable {
    package var tokenLifetimeDays = 30
    /// 0 for ever.
    package var retentionDays = 0
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
    package var blobBytes = 1_073_741_824
    package var blobBytesPerDay = 4_294_967_296
    package var blobsOpen = 100
    package var blobUnreferencedHours = 24
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
    package var probePort = 9895
    package var logLevel = "notice"
    package var logFormat = "text"
    package var pushAlways = false
    package var pushContent = PushContent.message.rawValue
    package var pushDeadlineHours = 24
    package var pushTraceDays = 7
    package var pushAllowPrivateEndpoints = false
    package var pushConcurrency = 256
    package var pushSink = ""
    package var pushTrustFile = ""
    /// The settings of push providers, by name.
    var providers = usualProviders
    package var registration = Registration.closed.rawValue
    package var accountAttemptsPerNetwork = 120
    package var accountAttemptsPerAccount = 20
    package var accountMailsPerNetwork = 30
    package var accountMailsPerAccount = 5
    package var registrationsPerNetwork = 20
    package var passwordPasses = 2
    package var passwordKibibytes = 65_536
    package var appleClientIDs = ""
    package var googleClientIDs = ""
    package var identityProvidersFile = ""
    package var mailURL = ""
    package var mailCredentialsFile = ""
    package var mailFrom = ""
    package var mailSink = ""
    package var broker = BrokerLimits()

    package init() {}

    var requestRenewal: Duration { .days(requestRenewalDays) }
    var blobWaiting: Duration { .seconds(blobUnreferencedHours * 3600) }
    var weekGrace: Duration { .seconds(weekGraceHours * 3600) }
    var presenceHold: Duration { .milliseconds(presenceHoldMilliseconds) }
    var typingInterval: Duration { .milliseconds(typingIntervalMilliseconds) }

    package static let entries = gatewayEntries + accountEntries + pushEntries + providerEntries + brokerEntries

    private static let gatewayEntries: [Entry] = [
        Entry(
            "token_lifetime_days", .duration(.days, 1...3650, \.tokenLifetimeDays),
            "How long a device's token lives, in days."),
        Entry(
            "retention_days", .duration(.days, Retention.range, \.retentionDays),
            "How long the gateway keeps messages, in days; 0 for ever. A conversation may have a time of its own."),
        Entry(
            "group_members", .number(2...CreateConversation.mostNames, \.groupMembers),
            "The most members of a group conversation."),
        Entry(
            "open_conversations", .number(1...10_000_000, \.openConversations),
            "Open conversations of a user that count for them: those they have made, joined, accepted or answered."),
        Entry(
            "groups_by_others", .number(1...10_000_000, \.groupsByOthers),
            "Of how many group conversations a user is a member because others have put them in."),
        Entry(
            "groups_per_user", .number(1...100, \.groupsPerUser),
            "In how many groups that train together a user may be."),
        Entry(
            "new_members_see_history", .flag(\.newMembersSeeHistory),
            "Whether those who are added to a group see what was written before."),
        Entry(
            "request_burst", .number(1...10_000_000, \.requestBurst),
            "Requests at once of one device in one area; a user has twice that."),
        Entry(
            "requests_per_second", .number(1...1_000_000, \.requestsPerSecond),
            "Requests a second of one device in one area; a user has twice that."),
        Entry(
            "typing_interval_ms", .duration(.milliseconds, 0...60_000, \.typingIntervalMilliseconds),
            "One start of typing counts in so many milliseconds; the rest are dropped."),
        Entry(
            "presence_hold_ms", .duration(.milliseconds, 0...600_000, \.presenceHoldMilliseconds),
            "Who reconnects within so many milliseconds was never offline."),
        Entry(
            "first_message_burst", .number(1...10_000_000, \.firstMessageBurst),
            "First messages to strangers at once, of one user."),
        Entry(
            "first_messages_per_hour", .number(1...10_000_000, \.firstMessagesPerHour),
            "First messages to strangers an hour, of one user; each stranger put into a group counts as one."),
        Entry(
            "key_fetches_per_hour", .number(1...10_000_000, \.keyFetchesPerHour),
            "Fetches an hour of keys of strangers (no friends, nothing shared), and refusals that name them."),
        Entry("reports_per_hour", .number(1...10_000_000, \.reportsPerHour), "Reports an hour, of one user."),
        Entry(
            "account_backups_per_hour", .number(1...10_000_000, \.accountBackupsPerHour),
            "Backups of the account key an hour, written and read together, of one user."),
        Entry(
            "invites_per_hour", .number(1...10_000_000, \.invitesPerHour),
            "Invites to groups an hour, made, looked at and accepted together, of one user."),
        Entry(
            "invite_url_prefix", .url(beginnings: ["parley://", "https://"], \.inviteURLPrefix),
            "What links to invites begin with; the token follows."),
        Entry(
            "stored_bytes_per_day", .number(1_048_576...1_125_899_906_842_624, \.storedBytesPerDay),
            "Bytes that are stored for one user a day, UTC: what they send, and 512 for each row."),
        Entry(
            "blob_bytes", .number(1024...1_099_511_627_776, \.blobBytes),
            "The most bytes of a file that a message names, before it is sealed."),
        Entry(
            "blob_bytes_per_day", .number(1_048_576...1_125_899_906_842_624, \.blobBytesPerDay),
            "Bytes of files that one user announces at once; the room comes back in the course of a day."),
        Entry(
            "blobs_open", .number(1...10_000, \.blobsOpen), "Files of one user that no message names, at once."),
        Entry(
            "blob_unreferenced_hours", .duration(.hours, 1...720, \.blobUnreferencedHours),
            "How long a file waits for a message that names it, in hours."),
        Entry(
            "open_challenges", .number(1...10_000, \.openChallenges),
            "Challenges of one user that are counted, or wait for an answer to them, at once."),
        Entry(
            "challenges_per_hour", .number(1...10_000_000, \.challengesPerHour),
            "Challenges that one user makes an hour."),
        Entry(
            "steps_per_day", .number(1...Limits.metricAmounts.upperBound, \.stepsPerDay),
            "The most steps of a day that count; more is marked as implausible."),
        Entry(
            "calories_per_day", .number(1...Limits.metricAmounts.upperBound, \.caloriesPerDay),
            "The most calories of a day that count; more is marked as implausible."),
        Entry(
            "exercise_minutes_per_day", .number(1...Limits.metricAmounts.upperBound, \.exerciseMinutesPerDay),
            "The most minutes of exercise of a day that count; more is marked as implausible."),
        Entry(
            "stranger_lookups_per_hour", .number(1...10_000_000, \.strangerLookupsPerHour),
            "Looks an hour at profiles and lists of strangers, and follows and blocks of them."),
        Entry(
            "activities_per_hour", .number(1...10_000_000, \.activitiesPerHour),
            "Items of activity posted an hour, of one user."),
        Entry(
            "activity_reactions_per_hour", .number(1...10_000_000, \.activityReactionsPerHour),
            "Reactions to items of activity an hour, given and taken back, of one user."),
        Entry(
            "request_renewal_days", .duration(.days, 0...3650, \.requestRenewalDays),
            "How long after the end of a friendship no message request is allowed, in days."),
        Entry(
            "week_grace_hours", .duration(.hours, 0...168, \.weekGraceHours),
            "How long after its end a week of a group takes workouts that come late, in hours."),
        Entry(
            "check_ins_per_day", .number(1...100, \.checkInsPerDay), "How many workouts of one day count on a board."),
        Entry("batch_limit", .number(1...1000, \.batchLimit), "The most requests that are committed together."),
        Entry(
            "waiting_reads", .number(1...100_000, \.waitingReads),
            "Reads that may wait for their turn, one of over 16 KiB counted once for each 16 KiB; "
                + "beyond that, whoever has most waiting is answered `unavailable`."),
        Entry(
            "unpublished_limit", .number(64...1_000_000, \.unpublishedLimit),
            "Events and replies that may wait for the broker before requests are left unread."),
        Entry(
            "unpublished_bytes", .number(1_048_576...1_099_511_627_776, \.unpublishedBytes),
            "Bytes of events and replies that may wait for the broker before requests are left unread."),
        Entry(
            "self_request_seconds", .duration(.seconds, 1...3600, \.selfRequestSeconds),
            "After so many seconds without a request the gateway sends itself one; "
                + "if three times as long nothing comes, it connects anew."),
        Entry(
            "cached_conversations", .number(16...10_000_000, \.cachedConversations),
            "Conversations and devices that the gateway keeps in memory."),
        Entry(
            "probe_port", .number(0...65_535, \.probePort),
            "The port on 127.0.0.1 where supervisors and Prometheus ask how the gateway is; 0 for none."),
        Entry(
            "log_level", .choice(["debug", "info", "notice", "warning", "error"], \.logLevel),
            "What is logged, from which level on; `--log-level` goes before it."),
        Entry(
            "log_format", .choice(["text", "json"], \.logFormat), "How it is logged; `--log-format` goes before it."),
    ]
}
