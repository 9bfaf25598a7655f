import Foundation
import MQTTClient
import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Invites from their making to whoever comes by them.
@Suite("Invites to groups")
struct InviteTests {
    private let world: SocialWorld
    private let group = GroupID.random()

    /// alice has a group, bob is in it; carol and dave are not.
    init() throws { world = try InviteTests.world(group) }

    private static func world(
        _ group: GroupID, _ change: (inout Settings) -> Void = { _ in }
    ) throws -> SocialWorld {
        let world = try SocialWorld(change)
        try world.test.addPeople(["dave"])
        try world.test.group(["alice", "bob"], id: group)
        return world
    }

    private func create(
        by user: UserID = "alice", _ rest: String = "", now: Timestamp = at(0)
    ) throws -> SocialWorld.Result {
        try world.ask(CreateInvite.self, by: user, #"{"group_id":"\#(group)"\#(rest)}"#, now: now)
    }

    /// The id and the token of a new invite.
    private func invite(
        by user: UserID = "alice", _ rest: String = "", now: Timestamp = at(0)
    ) throws -> (id: String, token: String) {
        let data = try create(by: user, rest, now: now).reply.data
        return (try #require(data["id"] as? String), try #require(data["token"] as? String))
    }

    private func accept(_ token: String, by user: UserID, now: Timestamp = at(10)) throws -> SocialWorld.Result {
        try world.ask(AcceptInvite.self, by: user, #"{"token":"\#(token)"}"#, now: now)
    }

    private func preview(_ token: String, by user: UserID, now: Timestamp = at(10)) throws -> Published {
        try world.read(PreviewInvite.self, by: user, #"{"token":"\#(token)"}"#, now: now)
    }

    private func leave(_ user: UserID) throws {
        #expect(try world.ask(LeaveGroup.self, by: user, #"{"group_id":"\#(group)"}"#).code == nil)
    }

    private func remove(_ user: UserID, by admin: UserID = "alice") throws {
        let json = #"{"group_id":"\#(group)","user_id":"\#(user)"}"#
        #expect(try world.ask(RemoveGroupMember.self, by: admin, json).code == nil)
    }

    private func members() throws -> String? {
        try world.test.text("SELECT group_concat(user) FROM (SELECT user FROM members ORDER BY user)")
    }

    // MARK: Making

    @Test("a member makes one, and gets the token once; the same request gets it again")
    func making() throws {
        let id = InviteID.random()
        let made = try create(by: "bob", #","id":"\#(id)","expires_in":60,"uses":3"#)
        let data = made.reply.data
        let token = try #require(data["token"] as? String)
        #expect(InviteToken(token) != nil && data["url"] as? String == "parley://group/invite/\(token)")
        #expect(data["expires_at"] as? String == "\(at(.seconds(60)))" && data["uses_left"] as? Int == 3)
        #expect(data["created_by"] as? String == "bob" && data["group_id"] as? String == "\(group)")
        #expect(made.events.isEmpty && made.reply.qos == .atMostOnce)
        // Nothing that is stored is the token.
        let stored = try #require(
            try world.test.text(
                "SELECT quote(id) || quote(seed) || quote(token_digest) || quote(request_digest) FROM invites"))
        let hex = try #require(InviteToken(token)).bytes.map { String($0, radix: 16) }.joined().uppercased()
        #expect(!stored.contains(hex))
        _ = try accept(token, by: "carol")
        let again = try create(by: "bob", #","id":"\#(id)","expires_in":60,"uses":3"#, now: at(500))
        #expect(again.reply.payload == made.reply.payload)
        #expect(try create(by: "bob", #","id":"\#(id)","expires_in":61,"uses":3"#).code == "conflict")
        #expect(try world.test.text("SELECT count(*) FROM invites") == "1")
        #expect(try invite().token != invite().token)
    }

    @Test("who is in no group makes none, and what no invite can be is refused")
    func refusedMaking() throws {
        #expect(try create(by: "dave").code == "not_found")
        for rest in [
            #","expires_in":0"#, #","expires_in":31536001"#, #","uses":0"#, #","uses":10001"#, #","expires_in":1.5"#,
        ] { #expect(throws: Rejection.self) { try create(rest) } }
        #expect(try world.test.text("SELECT count(*) FROM invites") == "0")
        let limited = try InviteTests.world(group) { $0.invitesPerHour = 2 }
        let json = #"{"group_id":"\#(group)"}"#
        let codes = try (0..<3).map { _ in try limited.ask(CreateInvite.self, by: "alice", json).code }
        #expect(codes == [nil, nil, "rate_limited"])
        let guess = #"{"token":"AAAAAAAAAAAAAAAAAAAAAA"}"#
        for _ in 0..<2 { #expect(try limited.ask(AcceptInvite.self, by: "dave", guess).code == "invite_invalid") }
        #expect(try limited.ask(AcceptInvite.self, by: "dave", guess).code == "rate_limited")
        #expect(try limited.read(PreviewInvite.self, by: "bob", guess).code == "invite_invalid")
    }

    @Test("a member has a hundred invites at once that open the group, and those that have ended make room")
    func hundred() throws {
        let world = try InviteTests.world(group) { $0.invitesPerHour = 1_000_000 }
        func create(by user: UserID, now: Timestamp) throws -> String? {
            let json = #"{"group_id":"\#(group)","expires_in":60}"#
            return try world.ask(CreateInvite.self, by: user, json, now: now).code
        }
        for _ in 0..<100 { #expect(try create(by: "alice", now: at(0)) == nil) }
        #expect(try create(by: "alice", now: at(1)) == "forbidden" && create(by: "bob", now: at(1)) == nil)
        #expect(try create(by: "alice", now: at(.seconds(61))) == nil)
        #expect(try world.test.text("SELECT count(*) FROM invites WHERE maker = 'alice' AND is_revoked = 0") == "1")
        #expect(try world.test.text("SELECT count(*) FROM invites") == "102")
        // A day later those that were revoked are removed, some with each that is made.
        for _ in 0..<2 { #expect(try create(by: "alice", now: at(.days(2))) == nil) }
        #expect(try world.test.text("SELECT count(*) FROM invites") == "4")
    }

    @Test("links begin as the operator has set")
    func links() throws {
        let world = try InviteTests.world(group) { $0.inviteURLPrefix = "https://example.org/i/" }
        let data = try world.ask(CreateInvite.self, by: "alice", #"{"group_id":"\#(group)"}"#).reply.data
        let (token, url) = (data["token"] as? String ?? "", data["url"] as? String ?? "")
        #expect(url == "https://example.org/i/\(token)" && InviteLink.token(in: url)?.description == token)
    }

    // MARK: Reading and ending

    @Test("an admin sees the live invites of all, others their own; nobody sees a token again")
    func listing() throws {
        let ids = try [invite().id, invite(by: "bob").id, invite(#","expires_in":1"#).id]
        func listed(_ user: UserID, now: Timestamp = at(10)) throws -> [String?] {
            let page = try world.read(ListInvites.self, by: user, #"{"group_id":"\#(group)"}"#, now: now)
            let items = try #require(page.data["items"] as? [[String: Any]])
            #expect(items.allSatisfy { $0["token"] == nil && $0["url"] is NSNull })
            return items.map { $0["id"] as? String }
        }
        #expect(try listed("alice") == [ids[2], ids[1], ids[0]] && listed("bob") == [ids[1]])
        #expect(try listed("alice", now: at(1000)) == [ids[1], ids[0]])
        let strange = try world.read(ListInvites.self, by: "dave", #"{"group_id":"\#(group)"}"#)
        #expect(strange.code == "not_found")
    }

    @Test("its maker or an admin ends an invite, again is no mistake, and to others there is none")
    func revoking() throws {
        let (own, token) = try invite(by: "bob")
        let other = try invite()
        func revoke(_ id: String, by user: UserID) throws -> String? {
            try world.ask(RevokeInvite.self, by: user, #"{"id":"\#(id)"}"#).code
        }
        #expect(try revoke(other.id, by: "bob") == "not_found" && revoke(own, by: "dave") == "not_found")
        #expect(try revoke("\(InviteID.random())", by: "alice") == "not_found")
        #expect(try preview(token, by: "dave").isOK == true)
        for _ in 0..<2 { #expect(try revoke(own, by: "alice") == nil) }
        #expect(try revoke(own, by: "bob") == nil)
        #expect(try accept(token, by: "dave").code == "invite_invalid")
        #expect(try preview(token, by: "dave").code == "invite_invalid")
        #expect(try preview(other.token, by: "dave").isOK == true)
    }

    @Test("a token shows the group's name, its size and who invites, and nothing else")
    func previewing() throws {
        let token = try invite(by: "bob").token
        let shown = try preview(token, by: "dave")
        #expect(
            String(decoding: shown.payload, as: UTF8.self)
                == #"{"request_id":null,"ok":true,"data":{"name":"Runners","member_count":2,"invited_by":"bob","#
                + #""inviter_name":"bob"}}"#)
        #expect(try world.test.text("SELECT count(*) FROM members") == "2")
        for text in ["AAAAAAAAAAAAAAAAAAAAAA", "", "x", "é", "\(group)", token + "A", String(token.dropLast()) + "!"] {
            let json = #"{"token":"\#(text)"}"#
            for kind in [PreviewInvite.self, AcceptInvite.self] as [any InviteTokenRequest.Type] {
                let code: ErrorCode?
                do throws(Rejection) {
                    _ = try kind.init(members: try parsed(json))
                    code = nil
                } catch {
                    code = error.code
                }
                #expect(code == (text == "AAAAAAAAAAAAAAAAAAAAAA" ? nil : .inviteInvalid), "\(text)")
            }
        }
        #expect(try preview("AAAAAAAAAAAAAAAAAAAAAA", by: "dave").code == "invite_invalid")
    }

    private func parsed(_ json: String) throws(Rejection) -> JSONObject {
        do throws(JSONError) {
            return try JSONObject(parsing: Array(json.utf8))
        } catch {
            throw Rejection(.internal, "the test's own JSON")
        }
    }

    // MARK: Coming

    @Test("whoever comes is a member from then on, and everybody learns of it")
    func coming() throws {
        let token = try invite(by: "bob", #","uses":2"#).token
        _ = world.test.carryOut([try send(ConversationID(of: group))])
        let came = try accept(token, by: "dave")
        let cid = ConversationID(of: group)
        #expect(
            came.audience == [
                .conversation(
                    cid, members: ["alice", "bob", "dave"], silences: [Silence(of: "dave", through: 1)])
            ])
        #expect(
            came.events == [
                "conversations/\(cid)/messages: message.new", "conversations/\(cid)/info: conversation.updated",
                "users/dave/events: conversation.created", "users/dave/events: group.joined",
                "groups/\(group)/events: group.member_joined", "users/alice/notifications: notification.new",
                "users/bob/notifications: notification.new",
            ])
        #expect(came.reply.data["member_count"] as? Int == 3)
        #expect(try world.test.text("SELECT uses_left FROM invites") == "1")
        #expect(
            try world.test.text("SELECT joined_seq || ' ' || visible_from FROM members WHERE user = 'dave'") == "1 1")
        // Nobody has put them in: it does not count among the groups that others may put them into.
        #expect(try world.test.text("SELECT count(*) FROM members WHERE user = 'dave' AND added_by IS NULL") == "1")
        let again = try accept(token, by: "dave")
        #expect(again.reply.payload == came.reply.payload && again.events.isEmpty && again.audience.isEmpty)
        #expect(try world.test.text("SELECT uses_left FROM invites") == "1")
        #expect(try accept(token, by: "bob").code == "already_in_group")
        #expect(try accept(token, by: "carol").code == nil)
        #expect(try accept(token, by: "alice").code == "invite_invalid")
        #expect(try members() == "alice,bob,carol,dave")
    }

    @Test("a refused acceptance spends no use and changes nothing")
    func refusedSpendsNothing() throws {
        let token = try invite(#","uses":1,"expires_in":1"#).token
        _ = try world.ask(CreateGroup.self, by: "dave", #"{"name":"Walkers"}"#)
        #expect(try accept(token, by: "dave").code == "already_in_group")
        #expect(try accept(token, by: "carol", now: at(1000)).code == "invite_invalid")
        let byOperator = try request(AcceptInvite.self, #"{"token":"\#(token)"}"#, from: device("operator", "console"))
        #expect(try world.test.carryOut([byOperator]).effects.outgoing.replies.map(\.code) == ["forbidden"])
        #expect(try world.test.text("SELECT uses_left FROM invites") == "1")
        #expect(try accept(token, by: "carol", now: at(999)).code == nil)
    }

    @Test("a block of the inviter is an invite that opens nothing; one's own is said")
    func blocks() throws {
        let token = try invite().token
        try world.ask(Block.self, by: "alice", of: "dave")
        let blocked = try accept(token, by: "dave")
        #expect(blocked.code == "invite_invalid")
        #expect(try preview(token, by: "dave").payload == preview("AAAAAAAAAAAAAAAAAAAAAA", by: "dave").payload)
        try world.ask(Block.self, by: "dave", of: "alice")
        #expect(try accept(token, by: "dave").code == "invite_invalid")
        try world.ask(Unblock.self, by: "alice", of: "dave")
        #expect(try accept(token, by: "dave").code == "blocked" && preview(token, by: "dave").code == "blocked")
        try world.ask(Unblock.self, by: "dave", of: "alice")
        // A block of somebody else in the group is no obstacle: in groups both stay.
        try world.ask(Block.self, by: "dave", of: "bob")
        #expect(try accept(token, by: "dave").code == nil)
    }

    // MARK: Coming back

    @Test("who has left comes back by any live invite, the one they came by too")
    func comingBack() throws {
        let (first, second) = (try invite(#","uses":2"#).token, try invite().token)
        #expect(try accept(first, by: "dave").code == nil)
        try leave("dave")
        #expect(try accept(second, by: "dave").code == nil)
        try leave("dave")
        #expect(try accept(first, by: "dave").code == nil)
        #expect(try world.test.text("SELECT group_concat(uses_left) FROM invites WHERE uses = 2") == "0")
        try leave("dave")
        #expect(try accept(first, by: "dave").code == "invite_invalid")
        #expect(try accept(second, by: "dave").code == nil)
    }

    @Test("who was removed comes back by no invite of then or before, and by one that is made after it")
    func removed() throws {
        let (used, unused) = (try invite().token, try invite(by: "bob").token)
        #expect(try accept(used, by: "dave").code == nil)
        try remove("dave")
        for token in [used, unused] {
            #expect(try accept(token, by: "dave").code == "invite_invalid")
            #expect(try preview(token, by: "dave").code == "invite_invalid")
        }
        let later = try invite(by: "bob").token
        #expect(try accept(later, by: "dave").code == nil)
        // Leaving by themselves afterwards does not open again what the removal has closed.
        try leave("dave")
        #expect(try accept(used, by: "dave").code == "invite_invalid")
        #expect(try accept(later, by: "dave").code == nil)
        try remove("dave")
        #expect(try accept(later, by: "dave").code == "invite_invalid")
        // Others come by all of them.
        #expect(try accept(used, by: "carol").code == nil)
    }

    @Test("the invites of who leaves or is removed die with their membership, and stay dead", arguments: [true, false])
    func makersGone(leaves: Bool) throws {
        let (token, other) = (try invite(by: "bob").token, try invite().token)
        if leaves { try leave("bob") } else { try remove("bob") }
        #expect(try accept(token, by: "dave").code == "invite_invalid")
        #expect(try accept(leaves ? other : try invite().token, by: "bob").code == nil)
        #expect(try accept(token, by: "dave").code == "invite_invalid")
        #expect(try accept(other, by: "dave").code == nil)
    }

    @Test("the invites of a group that has ended open nothing")
    func groupGone() throws {
        let token = try invite().token
        #expect(try world.ask(DeleteGroup.self, by: "alice", #"{"group_id":"\#(group)"}"#).code == nil)
        for user in ["dave", "bob", "alice"] as [UserID] {
            #expect(try accept(token, by: user).code == "invite_invalid")
        }
        #expect(try world.test.text("SELECT group_concat(is_revoked) FROM invites") == "1")
    }

    // MARK: Many at once

    @Test("however many accept at once, no more come than there is room for, and none is refused for another's sake")
    func fiftyAtOnce() throws {
        let people = (0..<50).map { UserID(stringLiteral: "person\($0)") }
        for size in [50, 7, 1] {
            let (group, world) = (GroupID.random(), try InviteTests.world(group))
            try world.test.addPeople(people)
            try world.test.group(["carol"], id: group)
            let made = try world.ask(CreateInvite.self, by: "carol", #"{"group_id":"\#(group)","uses":40}"#)
            let token = try #require(made.reply.data["token"] as? String)
            let requests = try people.shuffled().map {
                try request(AcceptInvite.self, #"{"token":"\#(token)"}"#, from: device($0, "phone"))
            }
            var codes: [String?] = []
            var rest = requests[...]
            while !rest.isEmpty {
                codes += try world.test.carryOut(Array(rest.prefix(size))).effects.outgoing.replies.map(\.code)
                rest = rest.dropFirst(size)
            }
            #expect(codes == Array(repeating: nil, count: 9) + Array(repeating: "group_full", count: 41))
            let cid = ConversationID(of: group)
            let count = try world.test.store.read { try $0.conversations.conversation(cid)?.facts.members.count }
            #expect(count == 10)
            #expect(try world.test.text("SELECT uses_left FROM invites") == "31")
            #expect(try world.test.text("SELECT count(*) FROM invite_uses") == "9")
        }
    }

    @Test("an invite for five is used by five of fifty")
    func fiveOfFifty() throws {
        let people = (0..<50).map { UserID(stringLiteral: "person\($0)") }
        try world.test.addPeople(people)
        let token = try invite(#","uses":5"#).token
        let outcome = world.test.carryOut(
            try people.map { try request(AcceptInvite.self, #"{"token":"\#(token)"}"#, from: device($0, "phone")) })
        let codes = try outcome.effects.outgoing.replies.map(\.code)
        #expect(codes.count { $0 == nil } == 5 && codes.count { $0 == "invite_invalid" } == 45)
        #expect(try world.test.text("SELECT uses_left FROM invites") == "0")
    }
}
