import NIOCore
import ParleyProtocol

/// The display names of typing users, for `typing.indicator` as apps without MQTT expect it. A name is cached for some
/// minutes: it seldom changes, and typing is frequent.
struct TypingNames {
    enum Answer {
        case named(String)
        /// The caller has to request the name. The indicator waits for it.
        case isToBeAsked
        /// The name is requested already. The indicator waits for it.
        case waits
    }

    private struct Known {
        let name: String
        let until: NIODeadline
    }

    private static let capacity = 64
    private static let lifetime = TimeAmount.minutes(5)
    /// The most indicators of one user that wait; more are dropped, as the broker drops the events of a slow reader.
    private static let mostWaiting = 16

    private var known = BoundedCache<UserID, Known>(capacity: capacity)
    private var waiting: [UserID: [TypingIndicator]] = [:]

    mutating func take(_ indicator: TypingIndicator, now: NIODeadline) -> Answer {
        let user = indicator.sender.user
        if let waiting = waiting[user] {
            if waiting.count < TypingNames.mostWaiting { self.waiting[user]?.append(indicator) }
            return .waits
        }
        if let known = known[user], known.until > now { return .named(known.name) }
        waiting[user] = [indicator]
        return .isToBeAsked
    }

    /// - Returns: the indicators that waited for the name, in order.
    mutating func put(_ name: String, of user: UserID, now: NIODeadline) -> [TypingIndicator] {
        known[user] = Known(name: name, until: now + TypingNames.lifetime)
        return waiting.removeValue(forKey: user) ?? []
    }

    /// The name in the reply to `profile/get`; `nil` where there is none.
    static func name(in reply: [UInt8]?) -> String? {
        guard let reply, let object = try? JSONObject(parsing: reply) else { return nil }
        return try? object.object("data")?.text("display_name", maximum: 1024)
    }
}

extension TypingIndicator {
    /// `typing.indicator {conversation_id, user_id, username, is_typing}`, beside the fields of protocol §3.
    func event(_ username: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.event(name) { data in
            data.object { object in
                writeMembers(to: &object)
                object.member("username", username)
            }
        }
        return writer.finish()
    }
}
