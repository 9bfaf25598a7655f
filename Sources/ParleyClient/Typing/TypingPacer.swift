import ParleyProtocol

/// Paces a device's typing indicators: a start at a key press, repeated at most every 2 s while keys are pressed, and a
/// stop 5 s after the last press.
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
    /// The most conversations with an indicator at once.
    static let capacity = 64

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

    /// The message was sent, or the text discarded.
    mutating func stop(_ conversation: ConversationID) -> Signal? {
        writing.removeValue(forKey: conversation).map { _ in .stop(conversation) }
    }

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

    var nextDue: ContinuousClock.Instant? {
        writing.values.map { state in
            let stop = state.lastPress + TypingPacer.silence
            return state.lastPress > state.lastStart ? min(stop, state.lastStart + TypingPacer.betweenStarts) : stop
        }.min()
    }

    /// The gateway ends the indicators of a lost connection; the next press starts again.
    mutating func markDisconnected() { writing.removeAll() }
}
