import ParleyProtocol
import ParleyPush

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
            "push_always", .flag(\.pushAlways),
            "Whether people are notified of messages while a device of theirs is connected."),
        Entry(
            "push_content", .choice(PushContent.allCases.map(\.rawValue), \.pushContent),
            "What goes to a push service: the ciphertext where it fits, where that is to be found, or "
                + "that there is something."),
        Entry(
            "push_deadline_hours", .duration(.hours, 1...672, \.pushDeadlineHours),
            "How long a notification is tried, and kept by the push service, in hours."),
        Entry(
            "push_trace_days", .duration(.days, 1...90, \.pushTraceDays),
            "How long `parley trace` knows what became of a notification, in days."),
        Entry(
            "push_concurrency", .number(1...10_000, \.pushConcurrency),
            "Notifications under way at once, of each push service; to one user's devices a 32nd of it."),
        Entry(
            "push_allow_private_endpoints", .flag(\.pushAllowPrivateEndpoints),
            "Whether webhooks and Web Push may be `http` and on local addresses; for development."),
        Entry(
            "push_sink", .text(\.pushSink),
            "A file to which each notification is written as a line of JSON, or `-` for standard output; "
                + "for development."),
        Entry(
            "push_trust_file", .text(\.pushTrustFile),
            "A PEM file of certificates that are trusted besides the system's, for private push services."),
    ]

    /// The settings of the push providers.
    static let providerEntries = ProviderSetting.all.map(Entry.init)

    /// The value of a provider's setting.
    package subscript(provider setting: String) -> String {
        get { providers[setting] ?? "" }
        set { providers[setting] = newValue }
    }

    static let usualProviders = ProviderSetting.all.reduce(into: [String: String]()) { values, setting in
        if case .url(let usual, _) = setting.value { values[setting.name] = usual }
    }
}

extension Settings.Entry {
    fileprivate init(_ setting: ProviderSetting) {
        let (name, meaning) = (setting.name, setting.meaning)
        switch setting.value {
        case .text, .secretFile: self.init(name, .text(\.[provider: name]), meaning)
        case .url(_, let beginnings): self.init(name, .url(beginnings: beginnings, \.[provider: name]), meaning)
        }
    }
}
