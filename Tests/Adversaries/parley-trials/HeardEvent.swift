import ParleyProtocol

/// An event as a device heard it: as much as tells when it was published.
struct HeardEvent {
    enum Content: Equatable {
        case record(MessageID, seq: Int)
        case receipt(UserID, seq: Int)
        case typing(UserID, isTyping: Bool)
        /// `conversation.updated`, retained or not.
        case info(name: String?)
        case presence(UserID)
        case deviceRevoked(DeviceID)
        case other(type: String)
    }

    let topic: String
    let content: Content
    /// Of the monotonic clock, in nanoseconds.
    let at: Int64

    init(topic: String, payload: [UInt8], at: Int64) {
        self.topic = topic
        self.at = at
        let object = try? JSONObject(parsing: payload)
        let type = (try? object?.text("type", maximum: 64)) ?? "nothing"
        content = (try? object?.object("data")).flatMap { HeardEvent.content(type, $0) } ?? .other(type: type)
    }

    private static func content(_ type: String, _ data: JSONObject) -> Content? {
        let user = try? data.level("user_id", as: UserID.self)
        let seq = try? data.integer("seq", in: 0...Int.max)
        switch (type, user, seq) {
        case ("message.delivered", let user?, let seq?), ("message.read", let user?, let seq?):
            return .receipt(user, seq: seq)
        case ("typing.indicator", let user?, _):
            return (try? data.bool("is_typing")).map { .typing(user, isTyping: $0) }
        case ("presence.updated", let user?, _): return .presence(user)
        case ("device.revoked", _, _):
            return (try? data.level("device_id", as: DeviceID.self)).map { .deviceRevoked($0) }
        case ("conversation.updated", _, _): return .info(name: try? data.text("name", maximum: .max))
        case (_, _, let seq?):
            guard type.hasPrefix("message."), let id = try? data.uuid("id", as: MessageID.self) else { return nil }
            return .record(id, seq: seq)
        default: return nil
        }
    }
}

/// What tells events that were published after a cut was committed from those before.
///
/// The gateway publishes in one order, and each device's writes are carried out in the order in which it has sent them:
/// whatever follows from a request that was sent on the same connection after the cut, or anywhere after its reply had
/// come, was published after it. What is not known to be later is let pass.
struct Boundary {
    /// The first place in the log that is known to be later: of the cut's own notice, or of a message sent after it.
    var firstSeq = Int.max
    /// Messages that were sent after the reply had come.
    var laterMessages: Set<MessageID> = []
    /// The user who acts only after the cut: their typing, receipts and presence are later.
    var laterUsers: Set<UserID> = []
    /// Who stops typing only after the cut.
    var laterToStop: Set<UserID> = []
    /// The name that the conversation gets after the cut.
    var laterName: String?
    /// Whose revocation is the cut: its announcement is later.
    var revoked: Set<DeviceID> = []

    func isLater(_ content: HeardEvent.Content) -> Bool {
        switch content {
        case .record(let id, let seq): seq >= firstSeq || laterMessages.contains(id)
        case .receipt(let user, let seq): seq >= firstSeq || laterUsers.contains(user)
        case .typing(let user, let isTyping): laterUsers.contains(user) || (!isTyping && laterToStop.contains(user))
        case .info(let name): name != nil && name == laterName
        case .presence(let user): laterUsers.contains(user)
        case .deviceRevoked(let device): revoked.contains(device)
        case .other: false
        }
    }
}
