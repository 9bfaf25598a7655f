public enum MessagePrivacy: String, Sendable, CaseIterable, Codable {
    case anyone, followers
}

public enum PresencePrivacy: String, Sendable, CaseIterable, Codable {
    case friends, nobody
}

/// The hours without notifications: two times of day, `22:00` to `07:00`, in the profile's time zone.
public struct QuietHours: GatewayObject {
    public let from: String
    public let to: String

    public init(from: String, to: String) { (self.from, self.to) = (from, to) }

    /// Since midnight; `nil` unless it is a time of day like `22:00`.
    package static func minutes(_ text: String) -> Int64? {
        let digits = text.utf8.map { Int64($0) - 0x30 }
        guard digits.count == 5, digits[2] == 10, [0, 1, 3, 4].allSatisfy({ 0...9 ~= digits[$0] }) else { return nil }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[3] * 10 + digits[4])
        return hours < 24 && minutes < 60 ? hours * 60 + minutes : nil
    }

    package init<Pass: FieldPass<QuietHours>>(fields pass: inout Pass) throws(Pass.Failure) {
        from = try pass.required("from", \.from, as: TimeOfDayForm())
        to = try pass.required("to", \.to, as: TimeOfDayForm())
    }
}

private struct TimeOfDayForm: FieldForm {
    func read(_ name: String, of object: JSONObject) throws(Rejection) -> String? {
        let text = try object.text(name, maximum: 5).required("quiet_hours.\(name)")
        guard QuietHours.minutes(text) != nil else {
            throw .badRequest("quiet_hours.\(name)", "not a time of day like 22:00")
        }
        return text
    }

    func write(_ value: String, to writer: inout JSONWriter) { value.write(to: &writer) }

    var schema: FieldSchema {
        .text(5...5, FieldSchema.Pattern("^([01][0-9]|2[0-3]):[0-5][0-9]$", example: "22:00"))
    }
}

/// A user's profile and settings, as the gateway stores them (protocol §5).
public struct Profile: Hashable, Sendable {
    public let user: UserID
    public let displayName: String
    public let photoURL: String?
    public let messagePrivacy: MessagePrivacy
    public let sharesWorkoutData: Bool
    public let sendsReadReceipts: Bool
    public let sendsTyping: Bool
    public let presence: PresencePrivacy
    public let quietHours: QuietHours?
    public let timeZone: String?

    public init(
        user: UserID, displayName: String, photoURL: String?, messagePrivacy: MessagePrivacy, sharesWorkoutData: Bool,
        sendsReadReceipts: Bool, sendsTyping: Bool, presence: PresencePrivacy, quietHours: QuietHours?,
        timeZone: String?
    ) {
        self.user = user
        self.displayName = displayName
        self.photoURL = photoURL
        self.messagePrivacy = messagePrivacy
        self.sharesWorkoutData = sharesWorkoutData
        self.sendsReadReceipts = sendsReadReceipts
        self.sendsTyping = sendsTyping
        self.presence = presence
        self.quietHours = quietHours
        self.timeZone = timeZone
    }
}

/// A change of a field: none, `null`, or a new value.
public enum FieldChange<Value: Hashable & Sendable>: Hashable, Sendable {
    case unchanged
    case cleared
    case set(Value)

    public func applied(to current: Value?) -> Value? {
        switch self {
        case .unchanged: current
        case .cleared: nil
        case .set(let value): value
        }
    }
}

/// The address of a picture, bounded in bytes.
private struct URLForm: FieldForm {
    func read(_ name: String, of object: JSONObject) throws(Rejection) -> String? {
        let url = try object.text(name, maximum: Limits.urlBytes)
        guard url?.utf8.count ?? 0 <= Limits.urlBytes else {
            throw .badRequest(name, "longer than \(Limits.urlBytes) bytes")
        }
        return url
    }

    func write(_ value: String, to writer: inout JSONWriter) { value.write(to: &writer) }

    var schema: FieldSchema { .text(0...Limits.urlBytes) }
}

/// `profile/set`: fields that are not named stay; `null` clears an optional one.
public struct ProfileChange: Command {
    public static let operation = Operation(validatedArea: "profile", verb: "set")
    public typealias Reply = ShownProfile

    public let displayName: String?
    public let photoURL: FieldChange<String>
    public let messagePrivacy: MessagePrivacy?
    public let sharesWorkoutData: Bool?
    public let sendsReadReceipts: Bool?
    public let sendsTyping: Bool?
    public let presence: PresencePrivacy?
    public let quietHours: FieldChange<QuietHours>
    public let timeZone: FieldChange<String>

    public init(
        displayName: String? = nil, photoURL: FieldChange<String> = .unchanged, messagePrivacy: MessagePrivacy? = nil,
        sharesWorkoutData: Bool? = nil, sendsReadReceipts: Bool? = nil, sendsTyping: Bool? = nil,
        presence: PresencePrivacy? = nil, quietHours: FieldChange<QuietHours> = .unchanged,
        timeZone: FieldChange<String> = .unchanged
    ) {
        self.displayName = displayName
        self.photoURL = photoURL
        self.messagePrivacy = messagePrivacy
        self.sharesWorkoutData = sharesWorkoutData
        self.sendsReadReceipts = sendsReadReceipts
        self.sendsTyping = sendsTyping
        self.presence = presence
        self.quietHours = quietHours
        self.timeZone = timeZone
    }

    package init<Pass: FieldPass<ProfileChange>>(fields pass: inout Pass) throws(Pass.Failure) {
        displayName = try pass.optional("display_name", \.displayName, as: .nonemptyText(Limits.nameCharacters))
        photoURL = try pass.change("photo_url", \.photoURL, as: URLForm())
        messagePrivacy = try pass.optional("message_privacy", \.messagePrivacy)
        sharesWorkoutData = try pass.optional("share_workout_data", \.sharesWorkoutData)
        sendsReadReceipts = try pass.optional("send_read_receipts", \.sendsReadReceipts)
        sendsTyping = try pass.optional("send_typing", \.sendsTyping)
        presence = try pass.optional("presence", \.presence)
        quietHours = try pass.change("quiet_hours", \.quietHours, as: .object())
        timeZone = try pass.change("time_zone", \.timeZone, as: TimeZoneForm())
    }

    public func applied(to profile: Profile) -> Profile {
        Profile(
            user: profile.user, displayName: displayName ?? profile.displayName,
            photoURL: photoURL.applied(to: profile.photoURL),
            messagePrivacy: messagePrivacy ?? profile.messagePrivacy,
            sharesWorkoutData: sharesWorkoutData ?? profile.sharesWorkoutData,
            sendsReadReceipts: sendsReadReceipts ?? profile.sendsReadReceipts,
            sendsTyping: sendsTyping ?? profile.sendsTyping, presence: presence ?? profile.presence,
            quietHours: quietHours.applied(to: profile.quietHours), timeZone: timeZone.applied(to: profile.timeZone))
    }
}
