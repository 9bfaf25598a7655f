import Platform
import ParleyProtocol

/// What a device sends and receives beside messages: receipts, who is writing, who is there.
///
/// One of the four owners of a client's state (decision 0045). It asks nobody: what happens goes in, and what is
/// to be sent or emitted comes back.
final class Signals {
    var receipts = ReceiptCoalescer()
    private var receiptBackoff = Backoff(first: .milliseconds(200), longest: .seconds(30))
    private var typing = TypingPacer()
    private var typingSignals: [TypingPacer.Signal] = []
    /// Whose presence is asked for, and the last update on this connection.
    private(set) var watched: Set<UserID> = []
    private var presences: [UserID: PresenceUpdate] = [:]
    /// Whose activity is listened to.
    private(set) var watchedActivity: Set<UserID> = []
    /// The groups of which it is heard.
    private var groups: Set<GroupID> = []

    /// How many typing signals may wait for the connection; what is older than that is of no interest any more.
    static let mostTypingSignals = 16

    // MARK: The connection

    /// The gateway has ended what this device said of its typing, and says who is there when it is reached again.
    func markDisconnected() {
        typing.markDisconnected()
        typingSignals.removeAll()
        presences.removeAll()
    }

    /// Somebody's activity is to be heard.
    ///
    /// - Returns: whether it was not before.
    func watchActivity(of user: UserID) -> Bool { watchedActivity.insert(user).inserted }

    // MARK: Groups

    /// More than anybody can be in.
    static let mostGroups = 1000

    /// A group is the user's, and is to be heard of.
    ///
    /// - Returns: whether there is room: a gateway that tells of groups without end is not followed.
    func hear(of group: GroupID) -> Bool {
        guard !groups.contains(group) else { return true }
        guard groups.count < Signals.mostGroups else { return false }
        groups.insert(group)
        return true
    }

    /// - Returns: whether it was heard of.
    func stopHearing(of group: GroupID) -> Bool { groups.remove(group) != nil }

    // MARK: Receipts

    /// Everything up to this message was received, or read, and a receipt is to be sent.
    func mark(_ kind: ReceiptKind, _ conversation: ConversationID, _ mark: ReceiptCoalescer.Mark) {
        receipts.mark(ReceiptCoalescer.Key(kind: kind, conversation: conversation), mark)
    }

    /// The gateway has taken a receipt.
    func acknowledge(_ key: ReceiptCoalescer.Key) {
        receipts.acknowledge(key)
        receiptBackoff.reset()
    }

    /// A receipt failed: it is sent again, or dropped where the gateway will never take it.
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

    /// A key was pressed.
    func press(_ conversation: ConversationID, now: ContinuousClock.Instant) {
        if let signal = typing.press(conversation, now: now) { append(signal) }
    }

    /// The user writes there no more: the message was sent, or given up.
    ///
    /// - Returns: whether a stop is to be sent.
    func stopTyping(_ conversation: ConversationID) -> Bool {
        guard let signal = typing.stop(conversation) else { return false }
        append(signal)
        return true
    }

    private func append(_ signal: TypingPacer.Signal) {
        if typingSignals.count < Signals.mostTypingSignals { typingSignals.append(signal) }
    }

    /// The typing signal to send now, which is not sent again.
    func nextTyping(now: ContinuousClock.Instant) -> TypingPacer.Signal? {
        typingSignals += typing.due(now: now)
        return typingSignals.isEmpty ? nil : typingSignals.removeFirst()
    }

    /// When there will be a typing signal by itself.
    var nextTypingTime: ContinuousClock.Instant? { typing.nextDue }

    // MARK: Presence

    /// - Returns: whether the user's presence is to be subscribed to: it was not before.
    func watch(_ user: UserID) -> Bool { watched.insert(user).inserted }

    /// Whether a user is there; `nil` before the first update.
    func presence(of user: UserID) -> PresenceUpdate? { presences[user] }

    /// - Returns: whether it changes anything.
    func update(_ presence: PresenceUpdate) -> Bool {
        presences.updateValue(presence, forKey: presence.user) != presence
    }

    /// The broker grants now what it may have refused before: the user's presence is to be subscribed to.
    func befriend(_ user: UserID) { watched.insert(user) }

    /// No more updates come of a user.
    func unfriend(_ user: UserID) { presences[user] = nil }
}
