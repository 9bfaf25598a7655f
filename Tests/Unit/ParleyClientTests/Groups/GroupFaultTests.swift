import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("What an honest gateway does not say of a group")
struct GroupFaultTests {
    private static let id = GroupID.random()
    private let bob = UserID(validated: "bob")

    private func group(_ id: GroupID = id, conversation: ConversationID? = nil, of names: [String]) -> TrainingGroup {
        TrainingGroup(
            id: id, name: "Runners", conversation: conversation ?? ConversationID(of: id),
            createdBy: UserID(validated: "alice"),
            createdAt: Timestamp(milliseconds: 0), timeZone: "UTC",
            members: names.map {
                Member(
                    user: UserID(validated: $0), username: $0, role: .known(.member),
                    joinedAt: Timestamp(milliseconds: 0))
            })
    }

    @Test("the user's own group is believed, as it was asked for and as it comes")
    func honest() {
        let own = group(of: ["alice", "bob"])
        #expect(own.fault(for: bob, asked: Self.id) == nil && own.fault(for: bob, asked: nil) == nil)
    }

    @Test("another group, another conversation, and a group of others are not")
    func faults() {
        let (other, chat) = (GroupID.random(), ConversationID.random())
        #expect(group(other, of: ["bob"]).fault(for: bob, asked: Self.id) == .otherGroup(other))
        #expect(group(conversation: chat, of: ["bob"]).fault(for: bob, asked: Self.id) == .otherConversation(chat))
        #expect(group(conversation: chat, of: ["bob"]).fault(for: bob, asked: nil) == .otherConversation(chat))
        for names in [[], ["alice"]] as [[String]] {
            #expect(
                group(of: names).fault(for: bob, asked: Self.id) == .foreignGroup(ConversationID(of: Self.id)))
        }
    }

    @Test(
        "a link is one with a token at its end, and nothing else",
        arguments: [
            ("parley://group/invite/AAAAAAAAAAAAAAAAAAAAAA", true),
            ("https://example.org/i/AAAAAAAAAAAAAAAAAAAAAA", true),
            ("https://example.org/AAAAAAAAAAAAAAAAAAAAAA/", true), ("http://example.org/AAAAAAAAAAAAAAAAAAAAAA", false),
            ("parley://group/AAAAAAAAAAAAAAAAAAAAAA", false), ("parley://group/invite/", false), ("", false),
            ("parley://group/invite/AAAAAAAAAAAAAAAAAAAAAA/x", false), ("AAAAAAAAAAAAAAAAAAAAAA", false),
            ("parley://group/invite/7f310b0c-6a52-4c1e-9a51-0d2b1a2f3c4d", false), ("https://", false),
        ])
    func links(link: String, isOne: Bool) {
        #expect((InviteLink.token(in: link) != nil) == isOne)
        #expect(InviteLink.token(in: link).map { $0.description } == (isOne ? "AAAAAAAAAAAAAAAAAAAAAA" : nil))
    }
}
