import ParleyProtocol
import ParleyRules
import ParleyStore

extension PushRules.Facts {
    /// The facts of a message for a member: when it is decided, again before it is sent, and when it is explained.
    ///
    /// - Parameters:
    ///   - isConnected: left out after the decision, as are the next two.
    ///   - quietUntil: the end of the quiet hours in which they are.
    init(
        _ message: PushMessage, for recipient: PushRecipient, isUrgent: Bool, isConnected: Bool = false,
        notifiesConnected: Bool = false, quietUntil: Timestamp? = nil, now: Timestamp
    ) {
        self.init(
            .message(isUrgent: isUrgent), isMember: message.record.seq > recipient.joinedSeq, isConnected: isConnected,
            notifiesConnected: notifiesConnected,
            isMuted: recipient.isMuted && recipient.mutedUntil.map { $0 > now } ?? true,
            isBlocked: recipient.isBlocked, isRequestWaiting: !recipient.isOpen,
            isRead: recipient.readSeq >= message.record.seq, isGone: message.record.content == nil,
            isWithheld: message.isWithheld, quietUntil: quietUntil)
    }
}

extension QuietHours {
    /// When they end, if it is quiet now; `nil` if it is not.
    ///
    /// - Parameter zone: an IANA name; UTC where it is none.
    func end(ifQuietAt now: Timestamp, in zone: String?) -> Timestamp? {
        end(ifQuietAt: now, in: zone.flatMap(CivilZones.zone) ?? .utc)
    }
}
