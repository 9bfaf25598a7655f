import ParleyProtocol

/// Paces one device's typing indicators: a start at a key press and at most one in 2 s, renewed while keys are pressed,
/// and a stop 5 s after the last press.
struct TypingPacer {
    enum Signal: Hashable {
        case start(ConversationID)
        case stop(ConversationID)
    }

    private struct Writing {
        var lastStart: ContinuousClock.Instant
        var lastPress: ContinuousClock.Instant
    }

    private var writing: [ConversationID: Writing] = [:]

    static let betweenStarts: Duration = .seconds(2)
    static let silence: Duration = .milliseconds(Limits.typingMilliseconds)
    /// Nobody writes in more conversations at once.
    static let capacity = 64

    /// A key was pressed.
    mutating func press(_ conversation: ConversationID, now: ContinuousClock.Instant) -> Signal? {
        if let state = writing[conversation] {
            let isDue = state.lastStart + TypingPacer.betweenStarts <= now
            writing[conversation] = Writing(lastStart: isDue ? now : state.lastStart, lastPress: now)
            return isDue ? .start(conversation) : nil
        }
        guard writing.count < TypingPacer.capacity else { return nil }
        writing[conversation] = Writing(lastStart: now, lastPress: now)
        return .start(conversation)
    }

    /// Nothing is written there any more: the message was sent, or the app says so.
    mutating func stop(_ conversation: ConversationID) -> Signal? {
        writing.removeValue(forKey: conversation).map { _ in .stop(conversation) }
    }

    /// What is to be said by now.
    mutating func due(now: ContinuousClock.Instant) -> [Signal] {
        var signals: [Signal] = []
        for (conversation, state) in writing {
            if state.lastPress + TypingPacer.silence <= now {
                writing[conversation] = nil
                signals.append(.stop(conversation))
            } else if state.lastPress > state.lastStart, state.lastStart + TypingPacer.betweenStarts <= now {
                writing[conversation]?.lastStart = now
                signals.append(.start(conversation))
            }
        }
        return signals
    }

    /// When something will be to be said.
    var nextDue: ContinuousClock.Instant? {
        writing.values.map { state in
            let stop = state.lastPress + TypingPacer.silence
            return state.lastPress > state.lastStart ? min(stop, state.lastStart + TypingPacer.betweenStarts) : stop
        }.min()
    }

    /// The gateway has ended the indicators of a connection that is gone; the next press begins anew.
    mutating func markDisconnected() { writing.removeAll() }
}
