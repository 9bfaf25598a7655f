import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Preferences of a conversation")
struct PreferencesRuleTests {
    private typealias Muting = ConversationPreferences.Muting

    private static func request(
        isMuted: Bool? = nil, until: FieldChange<Timestamp> = .unchanged, isArchived: Bool? = nil,
        isUnread: Bool? = nil
    ) -> UpdateConversation {
        UpdateConversation(
            conversation: .random(), isMuted: isMuted, mutedUntil: until, isArchived: isArchived, isUnread: isUnread)
    }

    @Test(
        "what muting becomes",
        arguments: [
            (.off, nil, .unchanged, .off), (.forever, nil, .unchanged, .forever),
            (.until(at(50)), nil, .unchanged, .until(at(50))), (.until(at(10)), nil, .unchanged, .off),
            (.off, true, .unchanged, .forever), (.until(at(50)), true, .unchanged, .forever),
            (.off, true, .set(at(60)), .until(at(60))), (.off, nil, .set(at(60)), .until(at(60))),
            (.forever, nil, .set(at(60)), .until(at(60))), (.forever, nil, .set(at(10)), .off),
            (.forever, false, .unchanged, .off), (.until(at(50)), false, .cleared, .off),
            (.until(at(50)), nil, .cleared, .forever), (.until(at(10)), nil, .cleared, .off),
            (.off, nil, .cleared, .off), (.off, true, .cleared, .forever),
        ] as [(ConversationPreferences.Muting, Bool?, FieldChange<Timestamp>, ConversationPreferences.Muting)])
    func muting(
        current: ConversationPreferences.Muting, isMuted: Bool?, until: FieldChange<Timestamp>,
        expected: ConversationPreferences.Muting
    ) {
        let preferences = PreferencesRule.decide(
            Self.request(isMuted: isMuted, until: until), current: ConversationPreferences(muting: current), now: at(10)
        )
        #expect(preferences == ConversationPreferences(muting: expected))
    }

    @Test("only what is named changes")
    func onlyNamedFieldsChange() {
        let current = ConversationPreferences(muting: .forever, isArchived: true, isMarkedUnread: true)
        #expect(PreferencesRule.decide(Self.request(), current: current, now: at(0)) == current)
        #expect(!PreferencesRule.decide(Self.request(isArchived: false), current: current, now: at(0)).isArchived)
        let read = PreferencesRule.decide(Self.request(isUnread: false), current: current, now: at(0))
        #expect(!read.isMarkedUnread && read.isArchived && read.muting == .forever)
    }

    @Test("a muting ends at its time")
    func mutingEndsInTime() {
        let preferences = ConversationPreferences(muting: .until(at(50)))
        #expect(preferences.effective(at: at(49)).isMuted)
        #expect(!preferences.effective(at: at(50)).isMuted && preferences.effective(at: at(50)).mutedUntil == nil)
        #expect(ConversationPreferences(muting: .forever).effective(at: .latest).isMuted)
    }
}
