import ParleyProtocol

/// What a link leads to: the text that people pass on, and that an app which has registered for `parley://` is opened
/// with.
///
/// A link names and opens nothing by itself but an invite: whoever follows it asks the gateway, which shows a challenge
/// to those of its conversation alone, and a conversation to its members; a plan is the app's own.
public enum AppLink: Hashable, Sendable {
    /// `parley://group/invite/{token}`, or the form that the gateway's operator has set (``InviteLink``).
    case invite(InviteToken)
    /// `parley://challenge/{challenge_id}`
    case challenge(ChallengeID)
    /// `parley://conversation/{conversation_id}`: where a push leads.
    case conversation(ConversationID)
    /// `parley://plan/diet/{plan_id}`, with the app's own id of the plan.
    case dietPlan(String)
    /// `parley://plan/workout/{plan_id}`, with the app's own id of the plan.
    case workoutPlan(String)

    private static let challengePrefix = "parley://challenge/"
    private static let conversationPrefix = "parley://conversation/"
    private static let dietPlanPrefix = "parley://plan/diet/"
    private static let workoutPlanPrefix = "parley://plan/workout/"

    /// Scheme and host are read in capitals too (RFC 3986 §6.2.2.1), and so is a UUID.
    ///
    /// - Returns: `nil` for what leads nowhere.
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

    /// A link with its scheme and its host in lower case; a text that has none is as it was.
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
}

extension AppLink: CustomStringConvertible {
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
    /// Where a card leads to; `nil` for what is no card.
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
    /// Everything but the unreserved characters as `%XX`.
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

    /// `nil` for what holds a character that has to be encoded, a `%` without its two digits, or bytes that are no
    /// UTF-8.
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
