import ParleyProtocol

/// The target of a link that people share, and that opens an app registered for `parley://`.
///
/// Only an invite grants access by itself: a challenge or a conversation is shown to those who may see it, and a plan
/// is the app's own.
public enum AppLink: Hashable, Sendable, CustomStringConvertible {
    /// `parley://group/invite/{token}`, or the operator's form (`InviteLink`).
    case invite(InviteToken)
    /// `parley://challenge/{challenge_id}`
    case challenge(ChallengeID)
    /// `parley://conversation/{conversation_id}`: the target of a push.
    case conversation(ConversationID)
    /// `parley://plan/diet/{plan_id}`, with the app's own id of the plan.
    case dietPlan(String)
    /// `parley://plan/workout/{plan_id}`, with the app's own id of the plan.
    case workoutPlan(String)

    private static let challengePrefix = "parley://challenge/"
    private static let conversationPrefix = "parley://conversation/"
    private static let dietPlanPrefix = "parley://plan/diet/"
    private static let workoutPlanPrefix = "parley://plan/workout/"

    /// Scheme and host are case-insensitive (RFC 3986 §6.2.2.1), and so is a UUID.
    ///
    /// - Returns: `nil` for any other text.
    public init?(_ text: String) {
        let text = AppLink.withLowerCaseHost(text)
        func rest(_ prefix: String) -> String? { text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil }
        let link: AppLink? =
            if let id = rest(AppLink.challengePrefix) {
                ChallengeID(id.lowercased()).map(AppLink.challenge)
            } else if let id = rest(AppLink.conversationPrefix) {
                ConversationID(id.lowercased()).map(AppLink.conversation)
            } else if let id = rest(AppLink.dietPlanPrefix) {
                AppLink.planID(id).map(AppLink.dietPlan)
            } else if let id = rest(AppLink.workoutPlanPrefix) {
                AppLink.planID(id).map(AppLink.workoutPlan)
            } else {
                InviteLink.token(in: text).map(AppLink.invite)
            }
        guard let link else { return nil }
        self = link
    }

    /// A link with its scheme and host in lower case; other text is unchanged.
    private static func withLowerCaseHost(_ link: String) -> String {
        guard let slashes = link.firstRange(of: "://") else { return link }
        let end = link[slashes.upperBound...].firstIndex(of: "/") ?? link.endIndex
        return link[..<end].lowercased() + link[end...]
    }

    private static func planID(_ text: String) -> String? {
        guard let id = text.percentDecoded, !id.isEmpty, !id.unicodeScalars.contains("\0"),
            id.unicodeScalars.count <= MessageContent.longestName
        else { return nil }
        return id
    }

    public var description: String {
        switch self {
        case .invite(let token): "\(InviteLink.prefix)\(token)"
        case .challenge(let id): "\(AppLink.challengePrefix)\(id)"
        case .conversation(let id): "\(AppLink.conversationPrefix)\(id)"
        case .dietPlan(let id): AppLink.dietPlanPrefix + id.percentEncoded
        case .workoutPlan(let id): AppLink.workoutPlanPrefix + id.percentEncoded
        }
    }
}

extension MessageContent {
    /// The target of a card; `nil` for other content.
    public var link: AppLink? {
        switch self {
        case .challenge(let card): .challenge(card.challengeID)
        case .dietPlan(let card): .dietPlan(card.planID)
        case .workoutPlan(let card): .workoutPlan(card.planID)
        case .text, .voice, .image, .file, .reaction, .resendRequest, .unknown: nil
        }
    }
}

// MARK: Percent-encoding (RFC 3986 §2)

extension String {
    /// All but the unreserved characters as `%XX`.
    fileprivate var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in utf8 {
            if byte.isUnreserved {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `nil` for text with a character that has to be encoded, a `%` without two digits, or invalid UTF-8.
    fileprivate var percentDecoded: String? {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            if byte.isUnreserved {
                bytes.append(byte)
            } else {
                guard byte == UInt8(ascii: "%"), let high = rest.popFirst()?.hexadecimal,
                    let low = rest.popFirst()?.hexadecimal
                else { return nil }
                bytes.append(high << 4 | low)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isUnreserved: Bool { isASCIILetterOrDigit || "-._~".utf8.contains(self) }
}
