import ParleyClient
import ParleyProtocol

/// What a person calls conversations and groups; those without a title are named by the beginning of their ids.
struct Titles: Sendable {
    var conversations: [ConversationID: String] = [:]
    var groups: [GroupID: String] = [:]

    subscript(_ id: ConversationID) -> String { conversations[id] ?? "conversation \(id.short)" }
    /// A group's conversation has the group's id and name.
    subscript(_ id: GroupID) -> String {
        groups[id] ?? conversations[ConversationID(id.value)] ?? "group \(id.short)"
    }

    /// The id's beginning before the title is known.
    func sentence(of id: ConversationID) -> String { conversations[id] ?? "group \(id.short)" }
}

extension UUIDIdentifier {
    /// The beginning, which commands take for the whole.
    var short: String { String(description.prefix(8)) }
}

extension MessagingClient {
    /// The titles of the user's conversations.
    nonisolated func conversationTitles() async -> Titles {
        var titles = Titles()
        for summary in await conversations.all() { titles.conversations[summary.id] = summary.title(for: device.user) }
        return titles
    }

    /// Those, and the names of the user's groups as far as the gateway says them.
    nonisolated func titles() async -> Titles {
        var titles = await conversationTitles()
        for group in (try? await trainingGroups.all()) ?? [] {
            titles.groups[group.id] = group.name
            titles.conversations[group.conversation] = group.name
        }
        return titles
    }
}
