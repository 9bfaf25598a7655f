import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Whom to notify")
struct PushRulesTests {
    private static let end = at(.seconds(3600))
    private static let kinds: [PushRules.Kind] =
        [.message(isUrgent: false), .message(isUrgent: true)] + NotificationType.allCases.map(PushRules.Kind.feed)

    @Test("every combination of facts is decided as the words of the protocol have it")
    func allCombinations() {
        var (count, wrong) = (0, [PushRules.Facts]())
        for kind in Self.kinds {
            for bits in 0..<(1 << 11) {
                let facts = Self.facts(kind, bits)
                if PushRules.decide(facts) != Self.inWords(facts) { wrong.append(facts) }
                count += 1
            }
        }
        #expect(count == 13 * 2048)
        #expect(wrong.isEmpty, "\(wrong.prefix(3))")
    }

    @Test("each reason decides about something, and no two have the same name or sentence")
    func reasonsDecide() {
        var found: Set<PushRules.Reason> = []
        for bits in 0..<(1 << 11) {
            if case .skip(let reason) = PushRules.decide(Self.facts(.message(isUrgent: false), bits)) {
                found.insert(reason)
            }
        }
        #expect(found == Set(PushRules.Reason.allCases))
        #expect(Set(PushRules.Reason.allCases.map(\.sentence)).count == PushRules.Reason.allCases.count)
    }

    private static func facts(_ kind: PushRules.Kind, _ bits: Int) -> PushRules.Facts {
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        return PushRules.Facts(
            kind, isOwn: bit(0), isMember: bit(1), isConnected: bit(2), notifiesConnected: bit(3), isMuted: bit(4),
            isBlocked: bit(5), isRequestWaiting: bit(6), isRead: bit(7), isGone: bit(8), isWithheld: bit(9),
            quietUntil: bit(10) ? end : nil)
    }

    /// The answer as a person would find it: first who must never hear of it, then who need not, then who not now.
    private static func inWords(_ facts: PushRules.Facts) -> PushRules.Decision {
        let isMessage: Bool
        let isUrgent: Bool
        let isReaction: Bool
        switch facts.kind {
        case .message(let urgent): (isMessage, isUrgent, isReaction) = (true, urgent, false)
        case .feed(let type): (isMessage, isUrgent, isReaction) = (false, false, type == .reaction)
        }
        // "not the sender's own devices"
        guard !facts.isOwn else { return .skip(.own) }
        // Nobody hears of what is not for them.
        guard facts.isMember else { return .skip(.notMember) }
        guard !facts.isWithheld else { return .skip(.withheld) }
        guard !facts.isGone else { return .skip(.gone) }
        // "not blocked"
        guard !facts.isBlocked else { return .skip(.blocked) }
        // "not for a message request that waits": the request itself is in the feed.
        if isMessage {
            guard !facts.isRequestWaiting else { return .skip(.requestWaits) }
        }
        // "not when already read"
        guard !facts.isRead else { return .skip(.alreadyRead) }
        // "not muted": a conversation's messages and the reactions to them.
        if isMessage || isReaction {
            guard !facts.isMuted else { return .skip(.muted) }
        }
        // "members with no device connected (a setting: always)"
        if facts.isConnected {
            guard facts.notifiesConnected else { return .skip(.connected) }
        }
        // "quiet hours hold back all but what is marked urgent"
        guard let quietUntil = facts.quietUntil else { return .notify }
        return isUrgent ? .notify : .hold(until: quietUntil)
    }
}
