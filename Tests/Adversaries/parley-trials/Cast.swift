import GatewaySite
import ParleyBridge
import ParleyProtocol
import ParleyRules
import ParleyStore

/// The people of one trial, who are in no other.
struct Cast {
    let cut: Cut
    let conversation: ConversationID
    /// A group in which nobody is cut off: of the keeper, the one concerned and the operator.
    let aside: ConversationID
    /// Removes or blocks; stays, and hears everything.
    let keeper: Population.Seat
    /// Talks all the time. In a direct conversation they are the blocked one.
    let talker: Population.Seat
    /// The device by which the one concerned acts.
    let actor: Population.Seat
    /// A device of theirs that listens all the time.
    let listener: Population.Seat
    /// A device of theirs that is away, and has a session for which the broker keeps what comes.
    let sleeper: Population.Seat
    /// An operator, who is in every trial.
    let console: Population.Seat

    /// The user who is cut off.
    var concerned: UserID { listener.address.user }

    /// Makes people, devices and conversations for all trials, straight in the database of a gateway that does not run.
    static func make(_ cuts: [Cut], store: Store, tokens: TokenIssuer) throws -> [Cast] {
        let now = Timestamp.systemNow
        return try store.write { transaction in
            func user(_ name: String, _ role: UserRole = .member) throws -> UserID {
                guard let user = UserID(name) else { throw SiteError.badName }
                try transaction.users.insert(user, role: role, displayName: name, at: now)
                return user
            }
            func seat(_ user: UserID, _ device: String, _ role: AccessToken.Role = .device) throws -> Population.Seat {
                try Population.Seat(
                    DeviceAddress(named: user.text, device), tokens, now: now, role: role, transaction)
            }
            let console = try seat(try user("trial-operator", .operator), "console", .operator)
            return try cuts.enumerated().map { number, cut in
                let keeper = try user("keeper-\(number)")
                let concerned = try user("concerned-\(number)")
                let actor = try seat(concerned, "phone")
                let (type, talker): (ConversationType, Population.Seat) =
                    switch cut {
                    case .block: (.direct, actor)
                    case .remove, .leave, .revoke, .operatorRevoke:
                        (.group, try seat(user("talker-\(number)"), "phone"))
                    }
                let conversation = try conversation(type, [keeper, concerned, talker.address.user])
                try insert(conversation.id, type, conversation.members, keeper)
                let aside = ConversationID.random()
                try insert(aside, .group, [keeper, concerned, console.address.user], keeper)
                return Cast(
                    cut: cut, conversation: conversation.id, aside: aside, keeper: try seat(keeper, "phone"),
                    talker: talker, actor: actor, listener: try seat(concerned, "listener"),
                    sleeper: try seat(concerned, "sleeper"),
                    console: console)
            }

            func insert(
                _ id: ConversationID, _ type: ConversationType, _ members: [UserID], _ creator: UserID
            ) throws {
                _ = try transaction.conversations.insert(
                    NewConversation(
                        id: id, type: type, name: type == .group ? "before" : nil, creator: creator,
                        members: members.map { ($0, type == .group && $0 == creator ? .admin : .member) },
                        epoch: "trial", digest: nil), at: now)
            }

            func conversation(
                _ type: ConversationType, _ users: [UserID]
            ) throws -> (id: ConversationID, members: [UserID]) {
                switch type {
                case .group: return (.random(), users)
                case .direct:
                    let members = Array(Set(users)).sorted()
                    // Without limit, whoever follows whom.
                    for member in members {
                        guard let profile = try transaction.facts.users.profile(member) else { throw SiteError.badName }
                        try transaction.users.update(ProfileChange(messagePrivacy: .anyone).applied(to: profile))
                    }
                    return (try ConversationID.direct(members), members)
                }
            }
        }
    }
}
