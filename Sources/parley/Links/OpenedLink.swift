import ParleyClient
import ParleyProtocol

/// The target of a link, for people and for programs.
struct OpenedLink: Sendable {
    /// A description of the target. Printable.
    let lines: [String]
    /// The same as one JSON object.
    let json: [UInt8]
    /// The commands that go on from there. Printable.
    let instructions: [String]
}

extension AppLink {
    /// Whether the target is searched for among the user's messages.
    var needsConversations: Bool {
        switch self {
        case .invite, .challenge, .conversation: false
        case .dietPlan, .workoutPlan: true
        }
    }
}

extension MessagingClient {
    /// The number of conversations that are searched for a plan's card, a page of the newest messages of each.
    private static let searchedConversations = 50

    /// Looks up the target of a link, and changes nothing.
    ///
    /// - Throws: ``ClientError/refused(_:)`` for a target that does not exist or that the user may not see.
    nonisolated func open(_ link: AppLink) async throws(ClientError) -> OpenedLink {
        switch link {
        case .invite(let token): return OpenedLink(try await invites.preview(token), link, for: device)
        case .challenge(let id): return OpenedLink(try await challenges.get(id), for: device)
        case .conversation(let id): return OpenedLink(try await conversation(id), for: device)
        case .dietPlan(let id), .workoutPlan(let id):
            return OpenedLink(planOf: try await newestCard(link), id, link)
        }
    }

    /// The last message that leads to where a link does, among the newest ones; `nil` if there is none.
    private nonisolated func newestCard(_ link: AppLink) async throws(ClientError) -> ChatMessage? {
        let searched = await conversations.all().prefix(MessagingClient.searchedConversations).map(\.id)
        let messages = try await PlanSearch.messages(of: searched) { id throws(ClientError) in
            try await history(of: id, at: .newest, limit: Limits.pageItems).messages
        }
        return messages.filter { message in
            if case .opened(let content) = message.content {
                content.value.link?.isSame(as: link) ?? false
            } else {
                false
            }
        }.max { $0.createdAt < $1.createdAt }
    }
}

/// The search for a plan's card.
enum PlanSearch {
    /// The messages of these conversations, without those whose history cannot be read.
    ///
    /// - Throws: the last error, if no history can be read.
    static func messages<Message>(
        of conversations: [ConversationID],
        _ history: nonisolated(nonsending) (ConversationID) async throws(ClientError) -> [Message]
    ) async throws(ClientError) -> [Message] {
        var messages: [Message] = []
        var (isAnyRead, failure): (Bool, ClientError?) = (false, nil)
        for conversation in conversations {
            do throws(ClientError) {
                messages += try await history(conversation)
                isAnyRead = true
            } catch {
                failure = error
            }
        }
        if let failure, !isAnyRead { throw failure }
        return messages
    }
}

extension AppLink {
    /// Whether it leads to the same, a plan's id being the app's own bytes: two that only look the same are two.
    func isSame(as other: AppLink) -> Bool { description.utf8.elementsEqual(other.description.utf8) }
}

extension OpenedLink {
    fileprivate init(_ preview: InvitePreview, _ link: AppLink, for device: DeviceAddress) {
        let members = preview.memberCount == 1 ? "1 member" : "\(preview.memberCount) members"
        lines = [
            "\(preview.inviterName.printable) (\(preview.invitedBy)) invites you to the group "
                + "\(preview.name.printable), \(members)"
        ]
        json = preview.json
        instructions = ["join it by: parley group join --as \(device) \(link)"]
    }

    fileprivate init(_ challenge: Challenge, for device: DeviceAddress) {
        lines = [challenge.sentence.printable]
        json = challenge.json
        switch challenge.status {
        case .known(.pending) where challenge.challenged == device.user:
            instructions = ["accept", "decline"].map { verb in
                "\(verb) it by: parley challenge \(verb) --as \(device) \(challenge.id)"
            }
        case .known(.pending) where challenge.challenger == device.user:
            instructions = ["take it back by: parley challenge cancel --as \(device) \(challenge.id)"]
        case .known(.active) where challenge.isBetween(device.user):
            instructions = [
                "it ends at \(challenge.endsAt.map { TimeZone.local.civil($0).stamp } ?? "a time that is not known yet")"
            ]
        default: instructions = []
        }
    }

    fileprivate init(_ conversation: ConversationSummary, for device: DeviceAddress) {
        json = JSONWriter.object { object in
            object.member("conversation_id", conversation.id)
            object.member("name", conversation.name)
            object.member("members", array: conversation.members) { $0.value($1.user) }
            object.member("unread_count", conversation.unreadCount)
        }
        let others = conversation.members.map(\.user).filter { $0 != device.user }
        let name = conversation.name ?? others.map(\.text).joined(separator: ", ")
        lines = ["conversation \(name.printable), \(conversation.unreadCount) unread"]
        instructions = [
            conversation.peer(of: device.user).map { "write in it by: parley chat --as \(device) --with \($0)" }
                ?? "read it by: parley listen --as \(device) --conversation \(conversation.id) --history 20"
        ]
    }

    fileprivate init(planOf card: ChatMessage?, _ id: String, _ link: AppLink) {
        json = JSONWriter.object { object in
            object.member("link", link.description)
            object.member("plan_id", id)
            object.member("message", raw: card?.json)
        }
        if let card {
            lines = [card.readableLine(in: .local)]
            instructions = ["what is in the plan is the app's that has made it, where its id is: \(id)".printable]
        } else {
            lines = ["plan \(id)".printable]
            instructions = ["no card of it is among the last messages of your conversations"]
        }
    }
}

extension Challenge {
    fileprivate func isBetween(_ user: UserID) -> Bool { user == challenger || user == challenged }
}
