import ParleyProtocol

/// Something that an honest gateway never says: of who is in a conversation, of whose keys are whose, of who has
/// written.
///
/// Every lie has one aim: that a client seals for the attacker, or shows the attacker's words as somebody else's.
package enum Lie: Hashable, Sendable {
    case conversation(ConversationLie)
    case keys(KeyLie)
    case refusal(RefusalLie)
    case event(EventLie)
    case sender(SenderLie)
    case push(PushLie)
    case endless(EndlessLie)
    case link(LinkLie)
    case backup(BackupLie)

    /// What kind of thing is lied about.
    package enum Family: String, CaseIterable, Sendable {
        case conversation, keys, refusal, event, sender, push, endless, link, backup
    }

    /// When a lie can be told.
    package enum Moment: String, CaseIterable, Sendable {
        /// The client has never heard of the person.
        case beforeFirstContact = "before first contact"
        /// Something was sent, and nothing was wrong.
        case betweenSends = "between two sends"
        /// The person's keys have honestly changed, and the two numbers were compared; the keys are accepted next.
        case beforeAccepting = "between comparing and accepting"
    }

    /// Whom the client writes to.
    package enum Scene: String, CaseIterable, Sendable {
        /// Somebody with an account key.
        case certified = "somebody with an account key"
        /// Somebody whose devices know no account keys.
        case uncertified = "somebody without an account key"
        case group = "a group"
        case newGroup = "a new group"
    }

    /// How a lie comes to the client.
    package enum Way: Hashable, Sendable {
        /// In the answer to what the client asks for anyhow.
        case answer
        /// In what is asked for with each new connection.
        case connecting
        /// As an event, as soon as it is told.
        case event
    }
}

/// A family of lies.
package protocol LieFamily: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// What the lie is, in one sentence.
    var sentence: String { get }
    var moments: [Lie.Moment] { get }
    var scenes: [Lie.Scene] { get }
    var way: Lie.Way { get }
}

// What is said of most lies.
extension LieFamily {
    package var moments: [Lie.Moment] { [.beforeFirstContact, .betweenSends] }
    package var scenes: [Lie.Scene] { [.certified] }
    package var way: Lie.Way { .answer }
}

extension Lie: CaseIterable {
    package static let allCases: [Lie] =
        ConversationLie.allCases.map(Lie.conversation) + KeyLie.allCases.map(Lie.keys)
        + RefusalLie.allCases.map(Lie.refusal) + EventLie.allCases.map(Lie.event)
        + SenderLie.allCases.map(Lie.sender) + PushLie.allCases.map(Lie.push) + EndlessLie.allCases.map(Lie.endless)
        + LinkLie.allCases.map(Lie.link) + BackupLie.allCases.map(Lie.backup)

    /// - Returns: `nil` for a name that no lie has.
    package init?(name: String) {
        guard let lie = Lie.allCases.first(where: { $0.name == name }) else { return nil }
        self = lie
    }

    package var name: String { told.rawValue }
    package var sentence: String { told.sentence }
    package var moments: [Moment] { told.moments }
    package var scenes: [Scene] { told.scenes }
    package var way: Way { told.way }

    package var family: Family {
        switch self {
        case .conversation: .conversation
        case .keys: .keys
        case .refusal: .refusal
        case .event: .event
        case .sender: .sender
        case .push: .push
        case .endless: .endless
        case .link: .link
        case .backup: .backup
        }
    }

    /// Whether it is about the user's own devices alone, whomever they write to.
    package var isAboutOneself: Bool {
        switch self {
        case .link, .backup: true
        case .conversation, .keys, .refusal, .event, .sender, .push, .endless: false
        }
    }

    private var told: any LieFamily {
        switch self {
        case .conversation(let lie): lie
        case .keys(let lie): lie
        case .refusal(let lie): lie
        case .event(let lie): lie
        case .sender(let lie): lie
        case .push(let lie): lie
        case .endless(let lie): lie
        case .link(let lie): lie
        case .backup(let lie): lie
        }
    }

    /// Whether the gateway says that it has no `sync/get`, so that it is asked for lists.
    var needsList: Bool {
        switch self {
        case .conversation(.thirdInList), .conversation(.swappedInList), .conversation(.directAsGroupInList),
            .endless(.list), .endless(.total):
            true
        case .conversation, .keys, .refusal, .event, .sender, .push, .endless, .link, .backup: false
        }
    }
}

extension Lie: CustomStringConvertible {
    package var description: String { name }
}
