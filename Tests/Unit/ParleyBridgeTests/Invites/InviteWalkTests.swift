import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// Random lives of a group, whose every answer is compared with what a slow reading of everything that was done says.
@Suite("Who may come back", .seeded)
struct InviteWalkTests {
    private enum Act {
        case invited(Int, by: UserID, uses: Int?, endsAt: Int64)
        case came(UserID, by: Int)
        case left(UserID)
        case removed(UserID)
        case revoked(Int)
        case blocked(UserID, UserID)
        case unblocked(UserID, UserID)
    }

    /// Everything that was done, and what follows from it: each question looks through all of it.
    private struct History {
        var acts: [Act] = []
        let founder: UserID
        let mostMembers: Int

        var members: Set<UserID> {
            var members: Set = [founder]
            for act in acts {
                switch act {
                case .came(let user, by: _): members.insert(user)
                case .left(let user), .removed(let user): members.remove(user)
                case .invited, .revoked, .blocked, .unblocked: break
                }
            }
            return members
        }

        func blocks(_ one: UserID, _ other: UserID) -> Bool {
            var isBlocked = false
            for act in acts {
                switch act {
                case .blocked(one, other): isBlocked = true
                case .unblocked(one, other): isBlocked = false
                default: break
                }
            }
            return isBlocked
        }

        private func live(_ invite: Int, now: Int64) -> (place: Int, maker: UserID)? {
            guard
                let place = acts.firstIndex(where: { if case .invited(invite, _, _, _) = $0 { true } else { false } }),
                case .invited(_, let maker, let uses, let end) = acts[place], now < end
            else { return nil }
            var used = 0
            for act in acts[place...] {
                switch act {
                case .came(_, by: invite): used += 1
                case .left(maker), .removed(maker), .revoked(invite): return nil
                default: break
                }
            }
            if let uses, used >= uses { return nil }
            return (place, maker)
        }

        /// What accepting an invite is answered with; `nil` where it is `ok`. Whether something is done by it.
        func answer(to user: UserID, accepting invite: Int, now: Int64) -> (code: String?, comes: Bool) {
            let isMember = members.contains(user)
            let cameByIt = acts.contains { if case .came(user, by: invite) = $0 { true } else { false } }
            if isMember, cameByIt { return (nil, false) }
            guard let (place, maker) = live(invite, now: now) else { return ("invite_invalid", false) }
            for act in acts[place...] { if case .removed(user) = act { return ("invite_invalid", false) } }
            if blocks(maker, user) { return ("invite_invalid", false) }
            if blocks(user, maker) { return ("blocked", false) }
            if isMember { return ("already_in_group", false) }
            return members.count < mostMembers ? (nil, true) : ("group_full", false)
        }
    }

    @Test("every acceptance is answered as everything says that was done before", arguments: 0..<12)
    func walk(number: Int) throws {
        var generator = Seeded(stream: UInt64(700 + number))
        let people: [UserID] = ["alice", "bob", "carol", "dave", "erin", "frank"]
        let world = try SocialWorld {
            $0.groupMembers = 4
            $0.invitesPerHour = 1_000_000
        }
        try world.test.addPeople(["dave", "erin", "frank"])
        let group = GroupID.random()
        try world.test.group(["alice"], id: group)
        var history = History(founder: "alice", mostMembers: 4)
        var tokens: [(id: String, token: String)] = []
        var codes: Set<String> = []
        for step in 0..<400 {
            let now = Int64(step) * 10
            let user = try generator.element(people)
            let other = try generator.element(people.filter { $0 != user })
            let members = history.members
            func ask(_ kind: any Command.Type, _ json: String) throws -> SocialWorld.Result {
                try world.ask(kind, by: user, json, now: at(now))
            }
            switch Int.random(in: 0..<12, using: &generator) {
            case 0, 1:
                let uses = generator.chance(0.3) ? Int.random(in: 1...2, using: &generator) : nil
                let rest = uses.map { #","uses":\#($0)"# } ?? ""
                let made = try ask(CreateInvite.self, #"{"group_id":"\#(group)","expires_in":1\#(rest)}"#)
                #expect(made.code == (members.contains(user) ? nil : "not_found"))
                guard let id = made.reply.data["id"] as? String, let token = made.reply.data["token"] as? String else {
                    continue
                }
                history.acts.append(.invited(tokens.count, by: user, uses: uses, endsAt: now + 1000))
                tokens.append((id, token))
            case 2:
                guard user != "alice", members.contains(user) else { continue }
                #expect(try ask(LeaveGroup.self, #"{"group_id":"\#(group)"}"#).code == nil)
                history.acts.append(.left(user))
            case 3:
                guard other != "alice", members.contains(other) else { continue }
                let json = #"{"group_id":"\#(group)","user_id":"\#(other)"}"#
                let code = try ask(RemoveGroupMember.self, json).code
                #expect(code == (user == "alice" ? nil : members.contains(user) ? "forbidden" : "not_found"))
                if code == nil { history.acts.append(.removed(other)) }
            case 4:
                guard let invite = tokens.indices.randomElement(using: &generator), generator.chance(0.3) else {
                    continue
                }
                if try ask(RevokeInvite.self, #"{"id":"\#(tokens[invite].id)"}"#).code == nil {
                    history.acts.append(.revoked(invite))
                }
            case 5:
                guard generator.chance(0.3) else { continue }
                _ = try world.ask(Block.self, by: user, of: other, now: at(now))
                history.acts.append(.blocked(user, other))
            case 6:
                _ = try world.ask(Unblock.self, by: user, of: other, now: at(now))
                history.acts.append(.unblocked(user, other))
            default:
                guard let invite = tokens.indices.suffix(8).randomElement(using: &generator) else { continue }
                let expected = history.answer(to: user, accepting: invite, now: now)
                let preview = try world.read(
                    PreviewInvite.self, by: user, #"{"token":"\#(tokens[invite].token)"}"#, now: at(now))
                let answer = try ask(AcceptInvite.self, #"{"token":"\#(tokens[invite].token)"}"#)
                #expect(answer.code == expected.code, "step \(step): \(user) by \(invite) after \(history.acts)")
                #expect(answer.events.isEmpty != expected.comes)
                if let code = expected.code, ["invite_invalid", "blocked"].contains(code) {
                    #expect(preview.code == code)
                }
                if expected.comes { history.acts.append(.came(user, by: invite)) }
                codes.insert(answer.code ?? (expected.comes ? "came" : "again"))
            }
            let stored = try world.test.text("SELECT count(*) FROM members")
            #expect(stored == "\(history.members.count)")
        }
        #expect(codes.isSuperset(of: ["came", "invite_invalid"]))
    }
}
