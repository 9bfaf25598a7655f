/// The event on `users/{uid}/presence`, retained: a user is there, or is not.
public struct PresenceUpdate: Hashable, Sendable {
    public enum State: String, Sendable, CaseIterable {
        case online, offline
    }

    public let user: UserID
    public let state: Named<State>
    /// When the user's last connection ended. `nil` while he is online, and where he keeps his presence to himself.
    public let lastSeen: Timestamp?

    public init(user: UserID, state: Named<State>, lastSeen: Timestamp?) {
        self.user = user
        self.state = state
        self.lastSeen = lastSeen
    }

    package init(user: UserID, _ presence: Presence) {
        switch presence {
        case .online: self.init(user: user, state: .known(.online), lastSeen: nil)
        case .offline(let lastSeen): self.init(user: user, state: .known(.offline), lastSeen: lastSeen)
        }
    }

    public func writeEvent(to writer: inout JSONWriter) {
        writer.event("presence.updated") { writer in
            writer.object { object in
                object.member("user_id", user)
                object.member("state", state.name)
                if let lastSeen { object.member("last_seen", lastSeen) }
            }
        }
    }
}

extension PresenceUpdate: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            user: try object.level("user_id").required("user_id"), state: try object.named("state").required("state"),
            lastSeen: try object.timestamp("last_seen"))
    }
}
