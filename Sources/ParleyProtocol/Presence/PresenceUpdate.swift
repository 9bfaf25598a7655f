/// The event on `users/{uid}/presence`, retained: a user is online or offline.
public struct PresenceUpdate: AddressedEvent, GatewayObject {
    package static let names = ["presence.updated"]
    package static var isRetained: Bool { true }
    package var topic: Topic { .user(user, .presence) }
    package var received: ReceivedEvent { .presence(self) }

    public enum State: String, Sendable, CaseIterable {
        case online, offline
    }

    public let user: UserID
    public let state: Named<State>
    /// The end of the user's last connection. `nil` while they are online, and if they do not share their presence.
    public let lastSeen: Timestamp?

    public init(user: UserID, state: Named<State>, lastSeen: Timestamp?) {
        (self.user, self.state, self.lastSeen) = (user, state, lastSeen)
    }

    package init(user: UserID, _ presence: Presence) {
        switch presence {
        case .online: self.init(user: user, state: .known(.online), lastSeen: nil)
        case .offline(let lastSeen): self.init(user: user, state: .known(.offline), lastSeen: lastSeen)
        }
    }

    package init<Pass: FieldPass<PresenceUpdate>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        state = try pass.required("state", \.state)
        lastSeen = try pass.optional("last_seen", \.lastSeen, without: .omitted)
    }
}
