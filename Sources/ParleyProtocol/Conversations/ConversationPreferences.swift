/// The preferences of one member for a conversation; nobody else sees them.
public struct ConversationPreferences: GatewayObject {
    public enum Muting: Hashable, Sendable {
        case off
        case until(Timestamp)
        case forever
    }

    public var muting: Muting
    public var isArchived: Bool
    /// Marked as unread by hand, even if everything has been read.
    public var isMarkedUnread: Bool

    public init(muting: Muting = .off, isArchived: Bool = false, isMarkedUnread: Bool = false) {
        (self.muting, self.isArchived, self.isMarkedUnread) = (muting, isArchived, isMarkedUnread)
    }

    public var isMuted: Bool { muting != .off }

    /// The preferences in force at a time: muting that has ended is off.
    public func effective(at now: Timestamp) -> ConversationPreferences {
        guard case .until(let end) = muting, end <= now else { return self }
        var effective = self
        effective.muting = .off
        return effective
    }

    public var mutedUntil: Timestamp? {
        switch muting {
        case .until(let end): end
        case .off, .forever: nil
        }
    }

    /// A missing field has the value of a conversation without preferences.
    @inline(__always)
    package init<Pass: FieldPass<ConversationPreferences>>(fields pass: inout Pass) throws(Pass.Failure) {
        let isMuted = try pass.required("is_muted", \.isMuted, default: false)
        let mutedUntil = try pass.optional("muted_until", \.mutedUntil)
        muting = isMuted ? mutedUntil.map { .until($0) } ?? .forever : .off
        isArchived = try pass.required("is_archived", \.isArchived, default: false)
        isMarkedUnread = try pass.required("is_unread", \.isMarkedUnread, default: false)
    }
}
