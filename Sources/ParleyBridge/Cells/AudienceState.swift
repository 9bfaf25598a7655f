import ParleyProtocol
import ParleyRules
import ParleyStore

extension Snapshot {
    /// The state, in this snapshot, of what a change is about; `nil` for what is none of a device's or an audience's.
    ///
    /// A change of another gateway says what to look at and no more: of several changes of one audience, by several
    /// gateways, the last is not known from their streams.
    func state(of change: AudienceChange) throws -> AudienceChange? {
        switch change {
        case .device(let address, _), .deviceEnded(let address):
            try devices.device(address).map { .device(address, $0.status) } ?? .deviceEnded(address)
        case .conversation(let id, _, _), .conversationEnded(let id):
            try conversations.withContact(id).map(\.audience) ?? .conversationEnded(id)
        case .group(let id, _), .groupEnded(let id):
            try groups.group(id).map { .group(id, of: $0.conversationID) } ?? .groupEnded(id)
        case .friends(let one, let other), .friendsEnded(let one, let other):
            try contacts.contact(one, other)?.areFriends == true ? .friends(one, other) : .friendsEnded(one, other)
        case .begin, .limits, .ready, .lease: nil
        }
    }
}

extension AudienceChange {
    /// As cells are told of it, who read the state themselves.
    var withoutState: AudienceChange {
        if case .conversation(let id, _, _) = self { .conversation(id, members: []) } else { self }
    }

    /// Two changes with one subject are about the same: the later replaces the earlier.
    enum Subject: Hashable {
        case device(DeviceAddress)
        case conversation(ConversationID)
        case group(GroupID)
        case friends(UserID, UserID)
        case feed
    }

    var subject: Subject {
        switch self {
        case .device(let address, _), .deviceEnded(let address): .device(address)
        case .conversation(let id, _, _), .conversationEnded(let id): .conversation(id)
        case .group(let id, _), .groupEnded(let id): .group(id)
        case .friends(let one, let other), .friendsEnded(let one, let other):
            one < other ? .friends(one, other) : .friends(other, one)
        case .begin, .limits, .ready, .lease: .feed
        }
    }
}

extension [AudienceChange] {
    /// In an order in which they can be told: the topics of a group are for the members of its conversation, which the
    /// broker's plugin must know before.
    var groupsLast: [AudienceChange] { filter { !$0.isOfGroup } + filter(\.isOfGroup) }
}

extension AudienceChange {
    fileprivate var isOfGroup: Bool { if case .group = subject { true } else { false } }
}
