/// The catalogue of protocol §4: the error codes of replies. A code is never renamed or reused.
public enum ErrorCode: String, Sendable, CaseIterable, Codable {
    case badRequest = "bad_request"
    case unauthenticated
    case forbidden
    case notFound = "not_found"
    case conflict
    case tooLarge = "too_large"
    case rateLimited = "rate_limited"
    case blocked
    case requestLimit = "request_limit"
    case groupFull = "group_full"
    case alreadyInGroup = "already_in_group"
    case inviteInvalid = "invite_invalid"
    case weekClosed = "week_closed"
    case staleDevices = "stale_devices"
    case unavailable
    case `internal`

    /// What the code means, for the table in `docs/protocol.md`.
    public var meaning: String {
        switch self {
        case .badRequest: "the payload is not what the operation takes"
        case .unauthenticated:
            "the device was revoked after it had sent this; or the password, code or identity token of a sign-in is wrong"
        case .forbidden: "known and visible, but not for this caller"
        case .notFound: "an unknown user, message or operation, or a conversation or group that the caller may not see"
        case .conflict:
            "the id was used before, with other content or by another; or the user has another account key, or the offer "
                + "was approved; or the version of the day, with other values; or the challenge is in another state, or a "
                + "message names the blob"
        case .tooLarge: "a payload or a field over its limit"
        case .rateLimited: "too many requests; `retry_after_ms` says when there is room again"
        case .blocked: "the caller has blocked the other"
        case .requestLimit: "the one message of a message request is spent"
        case .groupFull: "more members than a group holds"
        case .alreadyInGroup: "the caller is a member already, or in as many groups as a user may be"
        case .inviteInvalid: "a token that opens nothing"
        case .weekClosed: "a workout for a final week"
        case .staleDevices: "`recipient_keys` are not for the devices and keys there are: `missing`, `extra`"
        case .unavailable: "not now; nothing was done; send it again"
        case .internal: "a fault of the gateway; nothing was done"
        }
    }
}

/// A refusal: the `error` of a reply. The message is a sentence for people and never holds content.
public struct Rejection: Error, Hashable, Sendable {
    public let code: ErrorCode
    public let message: String
    /// For `rate_limited`: the wait until there is room again, in milliseconds.
    public let retryAfterMilliseconds: Int?
    /// For `stale_devices`: the missing recipients, and the recipients that are no devices.
    public let devices: DeviceDifference?

    public init(
        _ code: ErrorCode, _ message: String, retryAfterMilliseconds: Int? = nil, devices: DeviceDifference? = nil
    ) {
        self.code = code
        self.message = message
        self.retryAfterMilliseconds = retryAfterMilliseconds
        self.devices = devices
    }

    /// The difference between a list of recipients and the devices there are.
    public struct DeviceDifference: Hashable, Sendable {
        public let missing: [DeviceAddress]
        public let extra: [DeviceAddress]

        public init(missing: [DeviceAddress], extra: [DeviceAddress]) { (self.missing, self.extra) = (missing, extra) }
    }

    package static func badRequest(_ field: String, _ problem: String) -> Rejection {
        Rejection(.badRequest, "\(field): \(problem)")
    }

    /// The same answer for a conversation that does not exist and for one that the caller may not see.
    public static let conversationNotFound = Rejection(.notFound, "There is no such conversation.")
    public static let groupNotFound = Rejection(.notFound, "There is no such group.")
    public static let inviteNotFound = Rejection(.notFound, "There is no such invite.")
    /// The same for every token that opens nothing, for any reason.
    public static let inviteInvalid = Rejection(.inviteInvalid, "This invite does not open anything.")
    public static let userNotFound = Rejection(.notFound, "There is no such user.")
    public static let messageNotFound = Rejection(.notFound, "There is no such message in this conversation.")
    /// The same for a blob that does not exist, that the caller may not have, and that another message names.
    public static let blobNotFound = Rejection(.notFound, "There is no such blob.")
    public static let deviceNotFound = Rejection(.notFound, "There is no such device.")
    public static let workoutNotFound = Rejection(.notFound, "There is no such workout.")
    public static let weekClosed = Rejection(.weekClosed, "The week of this workout is closed.")
    public static let requestNotFound = Rejection(.notFound, "There is no such message request.")
    public static let blocked = Rejection(.blocked, "You have blocked this user.")
    public static let requestLimit = Rejection(
        .requestLimit, "This user has not accepted your message request, or takes none.")
    public static let messageToOneself = Rejection(.badRequest, "Nobody writes to themselves.")
    public static let idTaken = Rejection(.conflict, "This id was used before with other content.")
    public static let unavailable = Rejection(.unavailable, "The gateway cannot do this now; send it again.")
    public static let internalFault = Rejection(.internal, "The gateway failed; nothing was done.")
}
