import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

@Suite("The order of changes of audiences that are told together")
struct AudienceOrderTests {
    @Test("a group comes behind its conversation, and all else stays in its order")
    func groupsLast() {
        let (conversation, group) = (ConversationID.random(), GroupID.random())
        let of = AudienceChange.group(group, of: conversation)
        let ended = AudienceChange.groupEnded(GroupID.random())
        let members = AudienceChange.conversation(conversation, members: ["alice", "bob"])
        let friends = AudienceChange.friends("alice", "bob")
        #expect([of, members, ended, friends].groupsLast == [members, friends, of, ended])
        #expect([friends, members].groupsLast == [friends, members])
    }
}
