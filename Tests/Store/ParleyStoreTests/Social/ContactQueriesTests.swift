import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import TestedStores
import Testing

@testable import ParleyStore

/// What is between two people, as it is written and read.
@Suite("Stored contacts", .onEveryStore)
final class ContactQueriesTests: PeopleSuite {
    @Test("between people there is nothing, and of nobody there is no contact")
    func nothingBetweenPeople() throws {
        try store.write { try $0.users.insert("operator", role: .operator, displayName: "O", at: at(0)) }
        try store.read { snapshot throws in
            #expect(try snapshot.contacts.contact("alice", "bob") == Contact(strangers: "alice", "bob"))
            #expect(try snapshot.contacts.contact("bob", "alice") == Contact(strangers: "alice", "bob"))
            for nobody in ["nobody", "operator", "alice"] as [UserID] {
                #expect(try snapshot.contacts.contact("alice", nobody) == nil)
                #expect(try snapshot.contacts.contact(nobody, "alice") == nil)
            }
        }
    }

    /// Whatever people do, what is read afterwards is what the rule has made of it.
    @Test("a contact is read as it was written, over any history")
    func readAsWritten() throws {
        var generator = Seeded(seed: 41)
        let conversation = try store.write { try $0.insertConversation(["alice", "bob"]) }
        var contact = Contact(strangers: "alice", "bob")
        for step in 0..<2000 {
            let old = contact
            let user: UserID = Bool.random(using: &generator) ? "alice" : "bob"
            let now = at(Int64(step))
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: try? contact.follow(by: user)
            case 1: contact.unfollow(by: user, now: now)
            case 2: contact.block(by: user, now: now)
            case 3, 4: contact.unblock(by: user)
            case 5: try? contact.accept(by: user)
            case 6: try? contact.decline(by: user)
            default:
                let permission = MessagingPermission.decide(
                    from: user, to: contact.other(than: user), contact, now: now, renewal: .milliseconds(50))
                if permission.rejection == nil { contact.recordMessage(of: user, under: permission) }
            }
            try store.write { try $0.contacts.update(old, to: contact, conversation: conversation.key, at: now) }
            let read = try store.read { try $0.contacts.contact("alice", "bob") }
            guard read == contact else {
                Issue.record("step \(step): \(String(describing: read)) is not \(contact)")
                return
            }
        }
    }

    @Test("nothing is written where nothing differs")
    func nothingToWrite() throws {
        var contact = Contact(strangers: "alice", "bob")
        try contact.follow(by: "alice")
        let followed = contact
        try store.write {
            try $0.contacts.update(Contact(strangers: "alice", "bob"), to: followed, conversation: nil, at: at(7))
        }
        try store.write { try $0.contacts.update(followed, to: followed, conversation: nil, at: at(8)) }
        #expect(try store.text("SELECT created_at FROM follows") == "\(at(7).milliseconds)")
    }

    @Test("a request keeps the time at which it was asked")
    func requestKeepsItsTime() throws {
        let key = try store.write { try $0.insertConversation(["alice", "bob"]) }.key
        let strangers = Contact(strangers: "alice", "bob")
        var asked = strangers
        asked.recordMessage(of: "alice", under: .request)
        var declined = asked
        try declined.decline(by: "bob")
        try store.write { transaction in
            try transaction.contacts.update(strangers, to: asked, conversation: key, at: at(1))
            try transaction.contacts.update(asked, to: declined, conversation: key, at: at(2))
        }
        #expect(try store.text("SELECT state || created_at FROM message_requests") == "declined\(at(1).milliseconds)")
    }

    // MARK: Audiences

    @Test("the broker is told of those for whom a conversation is open, and of silence")
    func brokerIsTold() throws {
        try store.write { transaction in
            let closed = ConversationID.random()
            _ = try transaction.conversations.insert(
                NewConversation(
                    id: closed, type: .direct, name: nil, creator: "alice",
                    members: [("alice", .member), ("bob", .member)], closedFor: ["bob"], epoch: "e", digest: nil),
                at: at(0))
            let silent = try transaction.insertConversation(["alice", "carol"]).facts.id
            let group = try transaction.insertConversation(["alice", "bob", "carol"]).facts.id
            let strangers = Contact(strangers: "alice", "carol")
            var blocked = strangers
            blocked.block(by: "carol", now: at(0))
            try transaction.contacts.update(strangers, to: blocked, conversation: nil, at: at(0))
            var found: [ConversationID: String] = [:]
            try transaction.facts.audiences.readAll { found[$0] = "\($1)\($2.map { " \($0.user) silent" }.joined())" }
            #expect(
                found == [
                    closed: "[alice]", silent: "[alice, carol] carol silent", group: "[alice, bob, carol]",
                ])
            #expect(try !transaction.facts.members.shareConversation("alice", with: "dave"))
        }
    }
}
