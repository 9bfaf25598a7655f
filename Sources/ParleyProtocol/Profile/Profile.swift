public enum MessagePrivacy: String, Sendable, CaseIterable, Codable {
    case anyone, followers
}

public enum PresencePrivacy: String, Sendable, CaseIterable, Codable {
    case friends, nobody
}

/// When a user wants no notifications: two times of day, `22:00` to `07:00`, in the profile's time zone.
public struct QuietHours: Hashable, Sendable {
    public let from: String
    public let to: String

    public init(from: String, to: String) {
        self.from = from
        self.to = to
    }

    /// After midnight; `nil` for what is no time of day like `22:00`.
    package static func minutes(_ text: String) -> Int64? {
        let digits = text.utf8.map { Int64($0) - 0x30 }
        guard digits.count == 5, digits[2] == 10, [0, 1, 3, 4].allSatisfy({ 0...9 ~= digits[$0] }) else { return nil }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[3] * 10 + digits[4])
        return hours < 24 && minutes < 60 ? hours * 60 + minutes : nil
    }
}

extension QuietHours: GatewayObject {
    package init<Pass: FieldPass<QuietHours>>(fields pass: inout Pass) throws(Pass.Failure) {
        from = try pass.required("from", \.from, as: TimeOfDayForm())
        to = try pass.required("to", \.to, as: TimeOfDayForm())
    }
}

/// A time of day like `22:00`.
private struct TimeOfDayForm: FieldForm {
    func read(_ name: String, of object: JSONObject) throws(Rejection) -> String? {
        let text = try object.text(name, maximum: 5).required("quiet_hours.\(name)")
        guard QuietHours.minutes(text) != nil else {
            throw .badRequest("quiet_hours.\(name)", "not a time of day like 22:00")
        }
        return text
    }

    func write(_ value: String, to writer: inout JSONWriter) { value.write(to: &writer) }
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

/// A field of a change: left alone, cleared by `null`, or set.
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

extension FieldChange {
    /// - Parameter value: what the member of that name holds, `nil` if it is missing or `null`.
    init(_ object: JSONObject, _ name: String, _ value: Value?) {
        if let value { self = .set(value) } else { self = object.isNull(name) ? .cleared : .unchanged }
    }

    func write(_ name: StaticString, to object: inout JSONWriter, _ body: (inout JSONWriter, Value) -> Void) {
        switch self {
        case .unchanged: return
        case .cleared:
            object.key(name)
            object.token("null")
        case .set(let value):
            object.key(name)
            body(&object, value)
        }
    }
}

extension FieldChange where Value: JSONWritable {
    func write(_ name: StaticString, to object: inout JSONWriter) { write(name, to: &object) { $1.write(to: &$0) } }
}

/// `profile/set`: only what is named changes; a field that may be null is cleared by `null`.
public struct ProfileChange: Command {
    public static let operation = Operation(validatedArea: "profile", verb: "set")
    public static let fields =
        "display_name?, photo_url?, message_privacy?, share_workout_data?, send_read_receipts?, send_typing?, "
        + "presence?, quiet_hours?, time_zone?"
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

    public init(_ object: JSONObject) throws(Rejection) {
        displayName = try object.text("display_name", maximum: Limits.nameCharacters)
        if let displayName, displayName.isEmpty { throw .badRequest("display_name", "empty") }
        let photo = try object.text("photo_url", maximum: Limits.urlBytes)
        if let photo, photo.utf8.count > Limits.urlBytes {
            throw .badRequest("photo_url", "longer than \(Limits.urlBytes) bytes")
        }
        photoURL = FieldChange(object, "photo_url", photo)
        messagePrivacy = try object.choice("message_privacy")
        sharesWorkoutData = try object.bool("share_workout_data")
        sendsReadReceipts = try object.bool("send_read_receipts")
        sendsTyping = try object.bool("send_typing")
        presence = try object.choice("presence")
        quietHours = FieldChange(object, "quiet_hours", try ObjectForm<QuietHours>().read("quiet_hours", of: object))
        timeZone = FieldChange(object, "time_zone", try object.timeZoneName("time_zone"))
    }

    public func writeFields(to object: inout JSONWriter) {
        if let displayName { object.member("display_name", displayName) }
        photoURL.write("photo_url", to: &object)
        if let messagePrivacy { object.member("message_privacy", messagePrivacy.rawValue) }
        if let sharesWorkoutData { object.member("share_workout_data", sharesWorkoutData) }
        if let sendsReadReceipts { object.member("send_read_receipts", sendsReadReceipts) }
        if let sendsTyping { object.member("send_typing", sendsTyping) }
        if let presence { object.member("presence", presence.rawValue) }
        quietHours.write("quiet_hours", to: &object) { $1.write(to: &$0) }
        timeZone.write("time_zone", to: &object)
    }

    /// The profile with this change made.
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
