import Platform
import ParleyProtocol

/// Receipts, typing, presence, and watched groups and activity.
///
/// An owner of state (decision 0067): it does no I/O.
final class Signals {
    var receipts = ReceiptCoalescer()
    private var receiptBackoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    private var typing = TypingPacer()
    private var typingSignals: [TypingPacer.Signal] = []
    /// The users whose presence is watched, and the last updates on this connection.
    private(set) var watched: Set<UserID> = []
    private var presences: [UserID: PresenceUpdate] = [:]
    /// The users whose activity is watched.
    private(set) var watchedActivity: Set<UserID> = []
    /// The watched training groups.
    private var groups: Set<GroupID> = []

    /// The most typing signals that wait for the connection; further ones are dropped.
    static let mostTypingSignals = 16

    // MARK: The connection

    /// The gateway ends this device's typing indicators, and sends presence again on the next connection.
    func markDisconnected() {
        typing.markDisconnected()
        typingSignals.removeAll()
        presences.removeAll()
    }

    /// Watches a user's activity.
    ///
    /// - Returns: whether to subscribe to it.
    func watchActivity(of user: UserID) -> Bool { watchedActivity.insert(user).inserted }

    // MARK: Groups

    /// More than a user can have.
    static let mostGroups = 1000

    /// Watches a group of the user.
    ///
    /// - Returns: whether there was room: a gateway could announce groups without end.
    func watchGroup(_ group: GroupID) -> Bool {
        guard !groups.contains(group) else { return true }
        guard groups.count < Signals.mostGroups else { return false }
        groups.insert(group)
        return true
    }

    /// - Returns: whether it was watched.
    func unwatchGroup(_ group: GroupID) -> Bool { groups.remove(group) != nil }

    // MARK: Receipts

    /// Marks everything up to a message as received or read, so that a receipt is sent.
    func mark(_ kind: ReceiptKind, _ conversation: ConversationID, _ mark: ReceiptCoalescer.Mark) {
        receipts.mark(ReceiptCoalescer.Key(kind: kind, conversation: conversation), mark)
    }

    func acknowledge(_ key: ReceiptCoalescer.Key) {
        receipts.acknowledge(key)
        receiptBackoff.reset()
    }

    /// A receipt failed: it is sent again, or dropped if the gateway will never take it.
    func fail(
        _ key: ReceiptCoalescer.Key, _ error: ClientError, now: ContinuousClock.Instant,
        using generator: inout some RandomNumberGenerator
    ) {
        if case .refused(let rejection) = error, !rejection.code.isPassing {
            receipts.acknowledge(key)
        } else {
            receipts.postpone(key, until: error.pause(from: now, &receiptBackoff, using: &generator))
        }
    }

    // MARK: Typing

    func press(_ conversation: ConversationID, now: ContinuousClock.Instant) {
        if let signal = typing.press(conversation, now: now) { append(signal) }
    }

    /// The message was sent or given up.
    ///
    /// - Returns: whether a stop has to be sent.
    func stopTyping(_ conversation: ConversationID) -> Bool {
        guard let signal = typing.stop(conversation) else { return false }
        append(signal)
        return true
    }

    private func append(_ signal: TypingPacer.Signal) {
        if typingSignals.count < Signals.mostTypingSignals { typingSignals.append(signal) }
    }

    /// The next typing signal, which is sent once.
    func nextTyping(now: ContinuousClock.Instant) -> TypingPacer.Signal? {
        typingSignals += typing.due(now: now)
        return typingSignals.isEmpty ? nil : typingSignals.removeFirst()
    }

    /// When the next typing signal is due.
    var nextTypingTime: ContinuousClock.Instant? { typing.nextDue }

    // MARK: Presence

    /// - Returns: whether to subscribe to the user's presence.
    func watch(_ user: UserID) -> Bool { watched.insert(user).inserted }

    /// `nil` before the first update.
    func presence(of user: UserID) -> PresenceUpdate? { presences[user] }

    /// - Returns: whether it is a change.
    func update(_ presence: PresenceUpdate) -> Bool {
        presences.updateValue(presence, forKey: presence.user) != presence
    }

    /// A new friendship: the broker may grant now what it refused before.
    func befriend(_ user: UserID) { watched.insert(user) }

    func unfriend(_ user: UserID) { presences[user] = nil }
}
