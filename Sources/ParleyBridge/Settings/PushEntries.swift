import ParleyProtocol

/// How much of a message goes to a push service.
package enum PushContent: String, CaseIterable, Sendable {
    /// The ciphertext, where it fits.
    case message
    /// The conversation and the place in it.
    case reference
    /// That something has come, and the badge.
    case wakeUp = "wake_up"
}

extension Settings {
    var pushDeadline: Duration { .seconds(pushDeadlineHours * 3600) }
    var pushTraceLifetime: Duration { .days(pushTraceDays) }
    /// How many notifications of a provider may be under way to the devices of one user: services that answer late hold
    /// a place for as long as that takes, and are not to hold those of others.
    var pushesOfUser: Int { max(1, pushConcurrency / 32) }
    var contentOfPushes: PushContent { PushContent(rawValue: pushContent) ?? .message }

    /// The settings of push notifications.
    static let pushEntries: [Entry] = [
        Entry(
            name: "push_always",
            meaning: "Whether people are notified of messages while a device of theirs is connected.",
            keyPath: \.pushAlways),
        Entry(
            name: "push_content", choices: PushContent.allCases.map(\.rawValue),
            meaning: "What goes to a push service: the ciphertext where it fits, where that is to be found, or "
                + "that there is something.", keyPath: \.pushContent),
        Entry(
            name: "push_deadline_hours", range: 1...672,
            meaning: "How long a notification is tried, and kept by the push service, in hours.",
            keyPath: \.pushDeadlineHours),
        Entry(
            name: "push_trace_days", range: 1...90,
            meaning: "How long `parley trace` knows what became of a notification, in days.",
            keyPath: \.pushTraceDays),
        Entry(
            name: "push_concurrency", range: 1...10_000,
            meaning: "Notifications under way at once, of each push service; to one user's devices a 32nd of it.",
            keyPath: \.pushConcurrency),
        Entry(
            name: "push_allow_private_endpoints",
            meaning: "Whether webhooks and Web Push may be `http` and on local addresses; for development.",
            keyPath: \.pushAllowPrivateEndpoints),
        Entry(
            name: "push_sink",
            textMeaning: "A file to which each notification is written as a line of JSON, or `-` for standard output; "
                + "for development.", keyPath: \.pushSink),
        Entry(
            name: "push_trust_file",
            textMeaning: "A PEM file of certificates that are trusted besides the system's, for private push services.",
            keyPath: \.pushTrustFile),
        Entry(
            name: "apns_key_file", textMeaning: "The `.p8` file of Apple's key; without it there is no `apns`.",
            keyPath: \.apnsKeyFile),
        Entry(name: "apns_key_id", textMeaning: "The id of that key.", keyPath: \.apnsKeyID),
        Entry(name: "apns_team_id", textMeaning: "The id of the team it belongs to.", keyPath: \.apnsTeamID),
        Entry(
            name: "apns_url", beginnings: ["https://"],
            meaning: "Apple's push service; `https://api.sandbox.push.apple.com` for development.", keyPath: \.apnsURL),
        Entry(
            name: "fcm_account_file",
            textMeaning: "The JSON file of Google's service account; without it there is no `fcm`.",
            keyPath: \.fcmAccountFile),
        Entry(
            name: "fcm_url", beginnings: ["https://", "http://localhost", "http://127.0.0.1"],
            meaning: "Google's push service.", keyPath: \.fcmURL),
        Entry(
            name: "vapid_subject",
            textMeaning: "Whom Web Push services may write to, `mailto:…` or `https://…`; without it, nobody.",
            keyPath: \.vapidSubject),
    ]
}
