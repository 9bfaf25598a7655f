import ParleyClient
import ParleyProtocol

extension ConversationSummary {
    /// What the user calls it: the other's name, or the group's, or its members.
    func title(for user: UserID) -> String { id.title(type, name, members.map(\.user), for: user) }
}

extension ConversationID {
    func title(_ type: Named<ConversationType>, _ name: String?, _ members: [UserID], for user: UserID) -> String {
        let others = members.filter { $0 != user }
        if type == .known(.direct), let peer = others.first { return peer.text }
        if let name, name.contains(where: { !$0.isWhitespace }) { return name }
        return others.isEmpty ? short : others.map(\.text).joined(separator: ", ")
    }
}

/// A conversation with the names that a person may use for it.
struct NamedConversation: Hashable, Sendable, Nameable {
    let id: ConversationID
    let title: String

    init(_ summary: ConversationSummary, for user: UserID) {
        id = summary.id
        title = summary.title(for: user)
    }

    init(_ conversation: Conversation, for user: UserID) {
        id = conversation.id
        title = conversation.id.title(conversation.type, conversation.name, conversation.members.map(\.user), for: user)
    }

    var names: [String] { [title] }
    var idText: String? { id.description }
    var candidate: String { "\(title.printable) (\(id.short))" }
}

extension MessagingClient {
    /// The conversation that a person names, of those that this client has: by its name or id, or the beginning of
    /// one.
    ///
    /// - Throws: ``ToolError`` if none is called so, or several are, which are listed.
    nonisolated func conversationID(named text: String) async throws -> ConversationID {
        if let id = ConversationID(text.lowercased()) { return id }
        return try await conversations.all().map { NamedConversation($0, for: device.user) }.one(
            text, what: "conversation"
        ).id
    }
}
