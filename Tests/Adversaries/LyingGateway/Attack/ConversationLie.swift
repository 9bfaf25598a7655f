import ParleyProtocol

/// Lies about what a conversation is and who is in it.
package enum ConversationLie: String, LieFamily {
    case thirdInList, thirdInSync, thirdOnGet, thirdOnCreate, thirdInUpdate, thirdInCreated, thirdAfterRefusal
    case thirdInUnknownType, userLeftOut
    case swappedUnderRandomID, swappedUnderTrueID, swappedInList, swappedInUpdate
    case anotherOnCreate, anotherOnGet
    case directAsGroup, directAsGroupInList, groupAsDirect
    case strangerInNewGroup, strangerInNewGroupOnGet, newGroupUnderAnotherID, strangerJoinsGroup

    package var sentence: String {
        switch self {
        case .thirdInList: "the list of conversations says that mallory is in a conversation of two"
        case .thirdInSync: "sync/get says that mallory is in a conversation of two"
        case .thirdOnGet: "conversations/get says that mallory is in a conversation of two"
        case .thirdOnCreate: "conversations/create answers with a conversation of two in which mallory is the third"
        case .thirdInUpdate: "conversation.updated says that mallory has come into a conversation of two"
        case .thirdInCreated: "conversation.created tells of a conversation of two in which mallory is the third"
        case .thirdAfterRefusal:
            "after stale_devices the conversation that is asked for anew has mallory as a third member"
        case .thirdInUnknownType: "a conversation of two is said to be of a type that nobody knows, with mallory in it"
        case .userLeftOut: "a conversation of two is said to be the other's and mallory's"
        case .swappedUnderRandomID: "conversations/create answers with a conversation with mallory, under a random id"
        case .swappedUnderTrueID: "conversations/create answers with mallory in the other's place, under the right id"
        case .swappedInList: "the list of conversations has mallory in the other's place"
        case .swappedInUpdate: "conversation.updated puts mallory in the other's place"
        case .anotherOnCreate: "conversations/create answers with the true conversation with mallory"
        case .anotherOnGet: "conversations/get answers with the true conversation with mallory"
        case .directAsGroup: "conversation.updated says that a conversation of two is a group, with mallory in it"
        case .directAsGroupInList:
            "the list of conversations has a group, with mallory, under the id of a conversation of two"
        case .groupAsDirect: "conversation.updated says that a group is a conversation of two, with mallory"
        case .strangerInNewGroup: "a group that was just made has mallory in it, whom nobody has invited"
        case .strangerInNewGroupOnGet:
            "a group that was just made has mallory in it, as conversations/get says and conversations/create does not"
        case .newGroupUnderAnotherID: "a group that was just made is answered with another group, with mallory in it"
        case .strangerJoinsGroup: "conversation.updated says that mallory has joined a group"
        }
    }

    package var moments: [Lie.Moment] {
        switch self {
        case .thirdInList, .thirdInSync, .thirdInCreated, .thirdInUnknownType, .userLeftOut, .swappedInList,
            .directAsGroupInList:
            [.beforeFirstContact, .betweenSends]
        case .thirdInUpdate, .thirdAfterRefusal, .swappedInUpdate, .directAsGroup, .groupAsDirect, .strangerJoinsGroup:
            [.betweenSends]
        case .thirdOnGet, .thirdOnCreate, .swappedUnderRandomID, .swappedUnderTrueID, .anotherOnCreate, .anotherOnGet,
            .strangerInNewGroup, .strangerInNewGroupOnGet, .newGroupUnderAnotherID:
            [.beforeFirstContact]
        }
    }

    package var scenes: [Lie.Scene] {
        switch self {
        case .groupAsDirect, .strangerJoinsGroup: [.group]
        case .strangerInNewGroup, .strangerInNewGroupOnGet, .newGroupUnderAnotherID: [.newGroup]
        case .thirdInList, .thirdInSync, .thirdOnGet, .thirdOnCreate, .thirdInUpdate, .thirdInCreated,
            .thirdAfterRefusal, .thirdInUnknownType, .userLeftOut, .swappedUnderRandomID, .swappedUnderTrueID,
            .swappedInList, .swappedInUpdate, .anotherOnCreate, .anotherOnGet, .directAsGroup, .directAsGroupInList:
            [.certified]
        }
    }

    package var way: Lie.Way {
        switch self {
        case .thirdInList, .thirdInSync, .thirdInUnknownType, .userLeftOut, .swappedInList, .directAsGroupInList:
            .connecting
        case .thirdInUpdate, .thirdInCreated, .swappedInUpdate, .directAsGroup, .groupAsDirect, .strangerJoinsGroup:
            .event
        case .thirdOnGet, .thirdOnCreate, .thirdAfterRefusal, .swappedUnderRandomID, .swappedUnderTrueID,
            .anotherOnCreate, .anotherOnGet, .strangerInNewGroup, .strangerInNewGroupOnGet, .newGroupUnderAnotherID:
            .answer
        }
    }
}

/// Where a conversation is told of.
enum Place: Sendable {
    case list, sync, get, create, update, created
}

extension ConversationLie {
    /// Where it is told; everywhere else the truth is.
    private var places: [Place] {
        switch self {
        case .thirdInList, .swappedInList, .directAsGroupInList: [.list]
        case .thirdInSync: [.sync]
        case .thirdOnGet, .anotherOnGet, .strangerInNewGroupOnGet, .thirdAfterRefusal: [.get]
        case .thirdOnCreate, .swappedUnderRandomID, .swappedUnderTrueID, .anotherOnCreate, .strangerInNewGroup,
            .newGroupUnderAnotherID:
            [.create]
        case .thirdInUpdate, .swappedInUpdate, .directAsGroup, .groupAsDirect, .strangerJoinsGroup: [.update]
        case .thirdInCreated: [.created]
        case .thirdInUnknownType, .userLeftOut: [.list, .sync, .get, .create, .update, .created]
        }
    }

    /// Whether `sync/get` tells it, asked or not.
    fileprivate var isToldInSync: Bool { places.contains(.sync) }

    /// The object as it is told.
    fileprivate func tell(
        _ object: inout ToldConversation, of thread: TrueConversation, to user: UserID, at place: Place,
        falseID: ConversationID
    ) {
        guard places.contains(place) else { return }
        // Later than what is known, so that it counts.
        object.updatedAt = object.updatedAt.advanced(byMilliseconds: 1_000_000)
        switch self {
        case .thirdInList, .thirdInSync, .thirdOnGet, .thirdOnCreate, .thirdInUpdate, .thirdInCreated,
            .thirdAfterRefusal, .strangerInNewGroup, .strangerInNewGroupOnGet, .strangerJoinsGroup:
            object.members.append(Attacker.user)
        case .thirdInUnknownType:
            object.type = "channel"
            object.members.append(Attacker.user)
        case .userLeftOut: object.members = thread.members.filter { $0 != user } + [Attacker.user]
        case .swappedUnderTrueID, .swappedInList, .swappedInUpdate: object.members = [user, Attacker.user]
        case .swappedUnderRandomID:
            object.id = falseID
            object.members = [user, Attacker.user]
        case .newGroupUnderAnotherID:
            object.id = falseID
            object.members.append(Attacker.user)
        case .anotherOnCreate, .anotherOnGet:
            if let id = try? ConversationID.direct(of: user, Attacker.user) { object.id = id }
            object.members = [user, Attacker.user]
        case .directAsGroup, .directAsGroupInList:
            object.type = ConversationType.group.rawValue
            object.members.append(Attacker.user)
        case .groupAsDirect:
            object.type = ConversationType.direct.rawValue
            object.members = [user, Attacker.user]
        }
    }
}

extension Lie {
    /// Whether `sync/get` tells it, asked or not.
    var isToldInSync: Bool {
        if case .conversation(let lie) = self { lie.isToldInSync } else { false }
    }
}

extension World {
    /// A conversation as it is told to somebody.
    func told(_ thread: TrueConversation, to user: UserID, at place: Place) -> ToldConversation {
        var object = thread.object
        for lie in lies(about: thread, to: user) {
            if case .conversation(let lie) = lie {
                lie.tell(&object, of: thread, to: user, at: place, falseID: attacker.falseID)
            }
        }
        return object
    }

    /// The lies about whoever is in a conversation beside the one who is lied to.
    func lies(about thread: TrueConversation, to user: UserID) -> Set<Lie> {
        thread.members.filter { $0 != user }.reduce(into: []) { $0.formUnion(told(about: $1)) }
    }

    /// A conversation, or one that is told of and is none.
    func knownThread(_ id: ConversationID, for user: UserID) throws(Rejection) -> TrueConversation {
        if let thread = threads[id] { return thread }
        let own = try? ConversationID.direct(of: user, Attacker.user)
        guard id == attacker.falseID || id == own else { throw .conversationNotFound }
        let isGroup = tells(.conversation(.newGroupUnderAnotherID))
        return TrueConversation(
            id: id, type: isGroup ? .group : .direct, createdBy: user, createdAt: now, updatedAt: now,
            members: [user, Attacker.user], epoch: "e1")
    }

    /// What is published at once when a lie is told that comes as an event.
    func events(of lie: ConversationLie, about partner: UserID, to user: UserID) -> [Publication] {
        guard lie.way == .event, let thread = thread(of: lie, about: partner, to: user) else { return [] }
        if lie == .thirdInCreated {
            let told = told(thread, to: user, at: .created)
            return [
                Publication(.user(user, .events), .everybody) { writer in
                    writer.event("conversation.created") { told.write(to: &$0) }
                }
            ]
        }
        let told = told(thread, to: user, at: .update)
        return [
            Publication(.conversation(thread.id, .info), .everybody) { writer in
                writer.event("conversation.updated") { told.write(to: &$0, withCounters: false) }
            }
        ]
    }

    private func thread(of lie: ConversationLie, about partner: UserID, to user: UserID) -> TrueConversation? {
        if lie.scenes == [.group] {
            return threads.values.first { $0.type == .group && Set([user, partner]).isSubset(of: $0.members) }
        }
        return (try? ConversationID.direct(of: user, partner)).flatMap { threads[$0] }
    }
}
