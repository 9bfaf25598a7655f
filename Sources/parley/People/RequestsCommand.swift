import ArgumentParser
import ParleyClient
import ParleyProtocol

struct RequestsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requests", abstract: "Lists who asks to write to the user, and answers them.",
        discussion: """
            Examples:
              parley requests --as alice/phone
              parley requests accept --as alice/phone eve
            """, subcommands: [ListRequestsCommand.self, AcceptRequestCommand.self, DeclineRequestCommand.self],
        defaultSubcommand: ListRequestsCommand.self)

    @OptionGroup var common: CommonOptions
}

struct ListRequestsCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists who asks to write.")

    @OptionGroup var sender: SenderOptions
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> [ChatRequest] { try await client.messageRequests.all() }

    func show(_ requests: [ChatRequest]) {
        if common.output.isJSON {
            return requests.forEach { request in
                Terminal.printJSON(
                    JSONWriter.object { object in
                        object.member("conversation_id", request.conversation)
                        object.member("user_id", request.user)
                        object.member("created_at", request.createdAt)
                        object.member("message", raw: request.message?.json)
                    })
            }
        }
        if requests.isEmpty { return Terminal.report("nobody waits to write") }
        for request in requests {
            let words = request.message?.text.printableLines.joined(separator: " ↵ ") ?? ""
            Terminal.print("\(TimeZone.local.civil(request.createdAt).stamp) \(request.user): \(words)")
        }
    }
}

struct AcceptRequestCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "accept", abstract: "Lets a user write.")

    @OptionGroup var sender: SenderOptions
    @Argument(help: ArgumentHelp("Who asks.", valueName: "UID")) var user: UserID
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> String {
        try await client.messageRequests.accept(client.request(of: user))
        return "\(user) may write"
    }
}

struct DeclineRequestCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline", abstract: "Puts a request away; who has asked is not told, and cannot ask again.")

    @OptionGroup var sender: SenderOptions
    @Argument(help: ArgumentHelp("Who asks.", valueName: "UID")) var user: UserID
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> String {
        try await client.messageRequests.decline(client.request(of: user))
        return "put away what \(user) has asked"
    }
}

extension MessagingClient {
    fileprivate nonisolated func request(of user: UserID) async throws -> ConversationID {
        guard let request = try await messageRequests.all().first(where: { $0.user == user }) else {
            throw ToolError(.rejected, "\(user) does not wait to write")
        }
        return request.conversation
    }
}
