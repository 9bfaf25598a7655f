import MQTTClient
import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What requests for groups cause: what is written, who hears what, and what is answered.
@Suite("Groups that train together", .onEveryStore)
struct GroupTests {
    private let world: SocialWorld
    private let id = GroupID.random()
    private let conversation: ConversationID

    /// alice has made a group, and is its admin; bob and carol have come. dave is in none.
    init() throws {
        world = try SocialWorld()
        try world.test.addPeople(["dave"])
        conversation = try world.test.group(["alice", "bob", "carol"], id: id)
    }

    private func ask(
        _ kind: any Command.Type, by user: UserID, _ rest: String = "", now: Timestamp = at(10)
    ) throws -> SocialWorld.Result {
        try world.ask(kind, by: user, #"{"group_id":"\#(id)"\#(rest)}"#, now: now)
    }

    private func inConversation(
        _ kind: any Command.Type, by user: UserID, _ rest: String = ""
    ) throws -> SocialWorld.Result {
        try world.ask(kind, by: user, #"{"conversation_id":"\#(conversation)"\#(rest)}"#, now: at(10))
    }

    private func members() throws -> String? {
        try world.test.text(
            "SELECT group_concat(user || ' ' || role) FROM (SELECT * FROM members WHERE is_open = 1 ORDER BY user) AS m"
        )
    }

    private var info: String { "conversations/\(conversation)/info: conversation.updated" }
    private var notice: String { "conversations/\(conversation)/messages: message.new" }
    private func event(_ name: String) -> String { "groups/\(id)/events: group.\(name)" }

    // MARK: Making

    @Test("a group is made with its conversation, and its maker hears of both")
    func making() throws {
        let made = GroupID.random()
        let json = #"{"id":"\#(made)","name":"Läufer","time_zone":"Europe/Berlin"}"#
        let result = try world.ask(CreateGroup.self, by: "dave", json, now: at(5))
        let cid = ConversationID(of: made)
        #expect(
            result.events == [
                "users/dave/events: conversation.created", "conversations/\(cid)/info: conversation.updated",
                "users/dave/events: group.joined",
                "groups/\(made)/leaderboards/check-ins: leaderboard.updated",
                "groups/\(made)/leaderboards/streak: leaderboard.updated",
            ])
        #expect(result.audience == [.conversation(cid, members: ["dave"]), .group(made, of: cid)])
        let data = result.reply.data
        #expect(data["id"] as? String == "\(made)" && data["conversation_id"] as? String == "\(cid)")
        #expect(data["name"] as? String == "Läufer" && data["time_zone"] as? String == "Europe/Berlin")
        #expect(data["member_count"] as? Int == 1 && data["created_by"] as? String == "dave")
        let member = try #require((data["members"] as? [[String: Any]])?.first)
        #expect(member["user_id"] as? String == "dave" && member["role"] as? String == "admin")
        // The id of a conversation is taken.
        for id in ["\(made)", "\(conversation)"] {
            let taken = try world.ask(CreateGroup.self, by: "dave", #"{"id":"\#(id)","name":"Läufer"}"#)
            #expect(taken.code == "conflict")
        }
        let chat = try world.ask(
            CreateConversation.self, by: "dave", #"{"type":"group","id":"\#(made)","participant_ids":["alice"]}"#)
        #expect(chat.code == "conflict")
        #expect(try world.test.text("SELECT count(*) FROM groups") == "2")
    }

    @Test("a user is in one group, or in as many as are set")
    func oneGroup() throws {
        #expect(try world.ask(CreateGroup.self, by: "bob", #"{"name":"Walkers"}"#).code == "already_in_group")
        #expect(try ask(LeaveGroup.self, by: "bob").code == nil)
        #expect(try world.ask(CreateGroup.self, by: "bob", #"{"name":"Walkers"}"#).code == nil)
        #expect(try world.ask(CreateGroup.self, by: "bob", #"{"name":"Swimmers"}"#).code == "already_in_group")
        let two = try SocialWorld { $0.groupsPerUser = 2 }
        let codes = try ["A", "B", "C"].map { try two.ask(CreateGroup.self, by: "bob", #"{"name":"\#($0)"}"#).code }
        #expect(codes == [nil, nil, "already_in_group"])
    }

    @Test("what no group can be is refused, and nothing is made")
    func refusedMaking() throws {
        let version8 = "00010203-0405-8607-8809-0a0b0c0d0e0f"
        for json in [
            "{}", #"{"name":""}"#, #"{"name":"\#(String(repeating: "x", count: 101))"}"#, #"{"name":1}"#,
            #"{"name":"x","time_zone":"Europe/Atlantis"}"#, #"{"name":"x","time_zone":"../etc"}"#,
            #"{"name":"x","id":"\#(version8)"}"#,
        ] {
            let code: String?
            do {
                code = try world.ask(CreateGroup.self, by: "dave", json).code
            } catch let rejection as Rejection {
                code = rejection.code.rawValue
            }
            #expect(code == "bad_request", "\(json)")
        }
        let byOperator = world.test.carryOut([
            try request(CreateGroup.self, #"{"name":"x"}"#, from: device("operator", "console"))
        ])
        #expect(try byOperator.effects.outgoing.replies.map(\.code) == ["forbidden"])
        #expect(try world.test.text("SELECT count(*) FROM groups") == "1")
    }

    // MARK: Reading

    @Test("members read their group; to others there is none")
    func reading() throws {
        func read(_ user: UserID) throws -> Published {
            try world.read(GetGroup.self, by: user, #"{"group_id":"\#(id)"}"#)
        }
        for user in ["alice", "carol"] as [UserID] {
            #expect(try read(user).data["name"] as? String == "Runners")
            let list = try world.read(ListGroups.self, by: user).data["groups"] as? [[String: Any]]
            #expect(list?.map { $0["id"] as? String } == ["\(id)"])
        }
        let strange = try world.read(GetGroup.self, by: "dave", #"{"group_id":"\#(GroupID.random())"}"#)
        #expect(try read("dave").code == "not_found" && read("dave").payload == strange.payload)
        #expect((try world.read(ListGroups.self, by: "dave").data["groups"] as? [Any])?.isEmpty == true)
        _ = try ask(LeaveGroup.self, by: "carol")
        #expect(try read("carol").payload == strange.payload)
    }

    // MARK: Changing

    @Test("a new name is the group's and its conversation's, whichever of the two is asked")
    func renaming() throws {
        let renamed = try ask(UpdateGroup.self, by: "alice", #","name":"Walkers""#)
        #expect(renamed.events == [notice, info, event("updated")])
        #expect(renamed.reply.data["name"] as? String == "Walkers")
        #expect(try ask(UpdateGroup.self, by: "alice", #","name":"Walkers""#).events.isEmpty)
        #expect(try ask(UpdateGroup.self, by: "bob", #","name":"Swimmers""#).code == "forbidden")
        #expect(try ask(UpdateGroup.self, by: "dave", #","name":"Swimmers""#).code == "not_found")
        let there = try inConversation(UpdateConversation.self, by: "alice", #","name":"Swimmers""#)
        #expect(there.events == [notice, info, event("updated")])
        for name in ["null", #""""#] {
            #expect(
                try inConversation(UpdateConversation.self, by: "alice", #","name":\#(name)"#).code == "bad_request")
        }
        let read = try world.read(GetGroup.self, by: "bob", #"{"group_id":"\#(id)"}"#)
        #expect(read.data["name"] as? String == "Swimmers")
    }

    @Test("a role is given by admins, by either name, and the group hears it", arguments: [true, false])
    func roles(byGroup: Bool) throws {
        func give(_ role: String, to user: UserID, by caller: UserID) throws -> SocialWorld.Result {
            let rest = #","user_id":"\#(user)","role":"\#(role)""#
            return byGroup
                ? try ask(SetGroupRole.self, by: caller, rest) : try inConversation(SetRole.self, by: caller, rest)
        }
        #expect(try give("admin", to: "carol", by: "bob").code == "forbidden")
        #expect(try give("admin", to: "dave", by: "alice").code == "not_found")
        #expect(try give("admin", to: "carol", by: "dave").code == "not_found")
        #expect(try give("member", to: "alice", by: "alice").code == "forbidden")
        #expect(try give("admin", to: "bob", by: "alice").events == [notice, event("role_changed"), info])
        #expect(try give("admin", to: "bob", by: "alice").events.isEmpty)
        #expect(try members() == "alice admin,bob admin,carol member")
    }

    @Test("nobody is put into a group, neither by an admin nor by a friend")
    func notPutIn() throws {
        try world.befriend("alice", "dave")
        for user in ["alice", "bob"] as [UserID] {
            #expect(try inConversation(AddMembers.self, by: user, #","user_ids":["dave"]"#).code == "forbidden")
        }
        #expect(try members() == "alice admin,bob member,carol member")
    }

    // MARK: Going

    @Test(
        "whoever leaves hears no more, by either name, and asking again gets the first reply", arguments: [true, false])
    func leaving(byGroup: Bool) throws {
        func leave(_ now: Int64) throws -> SocialWorld.Result {
            byGroup ? try ask(LeaveGroup.self, by: "bob") : try inConversation(LeaveConversation.self, by: "bob")
        }
        let left = try leave(10)
        #expect(left.events == [notice, info, event("member_left"), "users/bob/events: conversation.removed"])
        #expect(left.audience == [.conversation(conversation, members: ["alice", "carol"])])
        _ = try ask(UpdateGroup.self, by: "alice", #","name":"Secret plans""#)
        let again = try leave(20)
        #expect(again.reply.payload == left.reply.payload && again.events.isEmpty && again.audience.isEmpty)
        // What was left by one name is left by the other.
        #expect(try ask(LeaveGroup.self, by: "bob").code == nil)
        #expect(try inConversation(LeaveConversation.self, by: "bob").code == nil)
        #expect(try ask(LeaveGroup.self, by: "dave").code == "not_found")
    }

    @Test("who is removed hears no more, by either name", arguments: [true, false])
    func removing(byGroup: Bool) throws {
        func remove(_ user: UserID, by caller: UserID) throws -> SocialWorld.Result {
            let rest = #","user_id":"\#(user)""#
            return byGroup
                ? try ask(RemoveGroupMember.self, by: caller, rest)
                : try inConversation(RemoveMember.self, by: caller, rest)
        }
        #expect(try remove("carol", by: "bob").code == "forbidden")
        #expect(try remove("carol", by: "dave").code == "not_found")
        #expect(try remove("nobody", by: "alice").code == nil)
        #expect(try remove("dave", by: "alice").events.isEmpty)
        let removed = try remove("bob", by: "alice")
        #expect(removed.events == [notice, info, event("member_removed"), "users/bob/events: conversation.removed"])
        #expect(removed.audience == [.conversation(conversation, members: ["alice", "carol"])])
        #expect(try remove("bob", by: "alice").events.isEmpty)
        #expect(try world.test.text("SELECT user || ' ' || last_invite FROM group_removals") == "bob 0")
        // Removing oneself is leaving.
        #expect(try remove("carol", by: "carol").events.contains(event("member_left")))
        #expect(try world.test.text("SELECT count(*) FROM group_removals") == "1")
    }

    @Test("the last admin's leaving makes the longest member one, and the last one's ends the group")
    func lastOnes() throws {
        try world.test.execute("UPDATE members SET joined_at = joined_at - 1 WHERE user = 'carol'")
        let left = try ask(LeaveGroup.self, by: "alice")
        #expect(
            left.events == [
                notice, notice, event("role_changed"), info, event("member_left"),
                "users/alice/events: conversation.removed",
            ])
        #expect(try members() == "bob member,carol admin")
        _ = try ask(LeaveGroup.self, by: "bob")
        let outcome = world.test.carryOut(
            [try request(LeaveGroup.self, #"{"group_id":"\#(id)"}"#, from: device("carol", "phone"))], now: at(20))
        #expect(outcome.effects.audience == [.conversationEnded(conversation), .groupEnded(id)])
        #expect(takenBack(outcome.effects.outgoing) == ["conversations/\(conversation)/info"] + boards)
        #expect(try ask(LeaveGroup.self, by: "carol").code == nil)
        #expect(try world.ask(CreateGroup.self, by: "carol", #"{"name":"Walkers"}"#).code == nil)
    }

    @Test("an admin ends the group for everybody at once, and nothing of it is left to hear")
    func deleting() throws {
        #expect(try ask(DeleteGroup.self, by: "bob").code == "forbidden")
        #expect(try ask(DeleteGroup.self, by: "dave").code == "not_found")
        let json = #"{"group_id":"\#(id)"}"#
        let outgoing = world.test.carryOut([try request(DeleteGroup.self, json)], now: at(20)).effects
        #expect(outgoing.audience == [.conversationEnded(conversation), .groupEnded(id)])
        #expect(takenBack(outgoing.outgoing) == ["conversations/\(conversation)/info"] + boards)
        let users = ["alice", "bob", "carol"]
        #expect(
            try outgoing.outgoing.events.map { "\($0.topic.dropFirst(Topic.prefix.utf8.count)): \($0.event ?? "")" }
                == users.map { "users/\($0)/events: conversation.removed" }
                + users.map { "users/\($0)/events: group.deleted" })
        let reply = try #require(try outgoing.outgoing.replies.first)
        #expect(reply.isOK == true && reply.data["member_count"] as? Int == 0)
        #expect(try members() == nil)
        for user in ["alice", "bob", "carol"] as [UserID] {
            for kind in [DeleteGroup.self, LeaveGroup.self] as [any Command.Type] {
                let again = try ask(kind, by: user, now: at(30))
                #expect(again.reply.payload == reply.payload && again.events.isEmpty && again.audience.isEmpty)
            }
            #expect(try ask(UpdateGroup.self, by: user, #","name":"Ghosts""#).code == "not_found")
            #expect(try world.read(GetGroup.self, by: user, json).code == "not_found")
            #expect(
                try world.test.carryOut([try send(conversation, from: device(user, "phone"))]).effects.outgoing.replies
                    .map(\.code) == ["not_found"])
        }
        #expect(try ask(DeleteGroup.self, by: "dave").code == "not_found")
        #expect(try world.ask(CreateGroup.self, by: "alice", #"{"name":"Walkers"}"#).code == nil)
    }

    private var boards: [String] { ["check-ins", "streak"].map { "groups/\(id)/leaderboards/\($0)" } }

    /// The topics of which what was retained is taken back.
    private func takenBack(_ outgoing: Outgoing) -> [String] {
        outgoing.items.filter { $0.message.isRetained && $0.message.payload.isEmpty }.map {
            String(decoding: outgoing.bytes[$0.message.topic].dropFirst(Topic.prefix.utf8.count), as: UTF8.self)
        }
    }

    // MARK: The broker's plugin

    @Test("a snapshot names each group that has members, behind its conversation")
    func snapshot() throws {
        let other = GroupID.random()
        try world.test.group(["dave"], id: other)
        _ = try world.ask(LeaveGroup.self, by: "dave", #"{"group_id":"\#(other)"}"#)
        let messages = try world.test.store.read { try $0.audienceMessages(version: 1, limits: BrokerLimits()) }
        let changes = try messages.flatMap { try AudienceCodec.changes(in: $0) }
        let own = try #require(changes.firstIndex(of: .group(id, of: conversation)))
        let members = AudienceChange.conversation(conversation, members: ["alice", "bob", "carol"])
        #expect(try own > #require(changes.firstIndex(of: members)))
        #expect(!changes.contains(.group(other, of: ConversationID(of: other))))
    }
}
