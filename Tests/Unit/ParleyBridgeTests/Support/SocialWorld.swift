import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// People who are strangers to each other, each with a phone: requests by name, and what came of them.
struct SocialWorld {
    let test: TestWriter
    let reader: Reader

    /// What one request has caused.
    struct Result {
        let reply: Published
        /// `topic: type`, without what all topics begin with.
        let events: [String]
        let audience: [AudienceChange]

        var code: String? { reply.code }
    }

    init(privacy: MessagePrivacy = .followers, _ change: (inout Settings) -> Void = { _ in }) throws {
        test = try TestWriter(privacy: privacy, change)
        reader = try test.reader()
    }

    /// Carries out a write.
    @discardableResult
    func ask(_ kind: any Command.Type, by user: UserID, _ json: String, now: Timestamp = at(0)) throws -> Result {
        try result(of: try request(kind, json, from: device(user, "phone")), now: now)
    }

    @discardableResult
    func ask(_ kind: any Command.Type, by user: UserID, of other: UserID, now: Timestamp = at(0)) throws -> Result {
        try ask(kind, by: user, #"{"user_id":"\#(other)"}"#, now: now)
    }

    func result(of incoming: IncomingCommand, now: Timestamp = at(0)) throws -> Result {
        let outcome = test.carryOut([incoming], now: now)
        let published = try outcome.effects.outgoing.published
        return Result(
            reply: try #require(published.first { $0.isOK != nil }),
            events: published.compactMap { event in
                event.event.map { "\(event.topic.dropFirst(Topic.prefix.utf8.count)): \($0)" }
            }, audience: outcome.effects.audience)
    }

    /// Carries out a read.
    func read(_ kind: any Query.Type, by user: UserID, _ json: String = "{}", now: Timestamp = at(0)) throws
        -> Published
    {
        let outgoing = reader.answer(try request(kind, json, from: device(user, "phone")), now: now)
        return try #require(try outgoing.published.first)
    }

    /// The notifications of a user, the newest first.
    func feed(of user: UserID) throws -> NotificationPage { try read(ListNotifications.self, by: user).value() }

    /// What `social/can-message` says: a verdict and the reason for it.
    func canMessage(_ user: UserID, _ other: UserID, now: Timestamp = at(0)) throws -> String {
        let data = try read(CanMessage.self, by: user, #"{"user_id":"\#(other)"}"#, now: now).data
        let (can, limited) = (data["can_message"] as? Bool, data["is_limited"] as? Bool)
        let reason = try #require(data["reason"] as? String)
        return "\(can == true ? "may" : "may not")\(limited == true ? ", limited" : ""): \(reason)"
    }

    /// Makes the direct conversation of two.
    @discardableResult
    func create(by user: UserID, with other: UserID, now: Timestamp = at(0)) throws -> Result {
        try ask(CreateConversation.self, by: user, #"{"type":"direct","participant_ids":["\#(other)"]}"#, now: now)
    }

    /// Sends in the direct conversation of two.
    @discardableResult
    func write(_ user: UserID, to other: UserID, id: MessageID = .random(), now: Timestamp = at(0)) throws -> Result {
        try result(
            of: try send(try ConversationID.direct([user, other]), id: id, from: device(user, "phone")), now: now)
    }

    /// A direct conversation in which one asks to write to the other.
    @discardableResult
    func askToWrite(by user: UserID, to other: UserID, now: Timestamp = at(0)) throws -> Result {
        try create(by: user, with: other, now: now)
        return try write(user, to: other, now: now)
    }

    func befriend(_ one: UserID, _ other: UserID, now: Timestamp = at(0)) throws {
        try ask(Follow.self, by: one, of: other, now: now)
        try ask(Follow.self, by: other, of: one, now: now)
    }
}

/// `{"conversation_id": …}` of the direct conversation of two.
func direct(_ one: UserID, _ other: UserID) throws -> String {
    #"{"conversation_id":"\#(try ConversationID.direct([one, other]))"}"#
}
