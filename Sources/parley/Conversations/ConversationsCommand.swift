import ArgumentParser
import ParleyClient
import ParleyProtocol

struct ConversationsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "conversations", abstract: "Lists the conversations of the user, with what is unread.",
        discussion: """
            The most recently active come first, archived ones last. What stands under NAME and under ID is taken wherever \
            a command takes a conversation, and so is the beginning of either.

            Examples:
              parley conversations --as alice/phone
              parley conversations --as alice/phone --json | jq -r .id
            """)

    @OptionGroup var sender: SenderOptions
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> [Conversation] { try await client.conversations.listed() }

    func show(_ conversations: [Conversation]) {
        let user = (try? sender.device(common.gateway))?.user
        common.output.print(conversations, headings: ["NAME", "UNREAD", "WITH", "LAST", "ID"]) { conversation in
            let entry = conversation.listEntry
            let unread = entry.map(\.unread.number) ?? 0
            let others = conversation.members.map(\.user).filter { $0 != user }.map(\.text)
            let last = entry?.lastMessage.map(\.createdAt) ?? conversation.updatedAt
            let title = user.map { NamedConversation(conversation, for: $0).title } ?? conversation.id.short
            return [
                title, unread > 0 ? (unread >= Limits.unreadCount ? "\(unread)+" : "\(unread)") : "",
                others == [title] ? "" : others.joined(separator: ", "), TimeZone.local.civil(last).stamp,
                conversation.id.short,
            ]
        }
    }
}
