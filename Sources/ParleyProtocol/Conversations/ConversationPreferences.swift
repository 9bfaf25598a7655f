/// How one member wants a conversation treated; nobody else is told.
public struct ConversationPreferences: Hashable, Sendable {
    public enum Muting: Hashable, Sendable {
        case off
        case until(Timestamp)
        case forever
    }

    public var muting: Muting
    public var isArchived: Bool
    /// Marked as unread by hand, whatever has been read.
    public var isMarkedUnread: Bool

    public init(muting: Muting = .off, isArchived: Bool = false, isMarkedUnread: Bool = false) {
        self.muting = muting
        self.isArchived = isArchived
        self.isMarkedUnread = isMarkedUnread
    }

    public var isMuted: Bool { muting != .off }

    /// As they stand at a time: a muting that is over is none.
    public func standing(at now: Timestamp) -> ConversationPreferences {
        guard case .until(let end) = muting, end <= now else { return self }
        var standing = self
        standing.muting = .off
        return standing
    }

    public var mutedUntil: Timestamp? {
        switch muting {
        case .until(let end): end
        case .off, .forever: nil
        }
    }

    package func writeFields(to object: inout JSONWriter) {
        object.member("is_muted", isMuted)
        object.member("muted_until", mutedUntil)
        object.member("is_archived", isArchived)
        object.member("is_unread", isMarkedUnread)
    }

    /// The event on `users/{uid}/events`, for the member's other devices.
    public func writeEvent(_ conversation: ConversationID, to writer: inout JSONWriter) {
        writer.event("conversation.settings") { writer in
            writer.object { object in
                object.member("conversation_id", conversation)
                writeFields(to: &object)
            }
        }
    }
}
