import ArgumentParser
import ParleyClient
import ParleyProtocol

/// What a person names in an argument, by a text that is not empty.
protocol NameArgument: ExpressibleByArgument, Hashable, Sendable {
    var text: String { get }

    init(text: String)
}

extension NameArgument {
    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        self.init(text: argument)
    }
}

/// A conversation as a person names it in an argument: by its name or id, or the beginning of one.
struct ConversationName: NameArgument {
    let text: String

    /// A whole id names it without a question to anybody.
    var id: ConversationID? { ConversationID(text.lowercased()) }

    func find(by client: MessagingClient) async throws -> ConversationID {
        if let id { return id }
        let all = try await client.conversations.listed().map { NamedConversation($0, for: client.device.user) }
        return try all.one(text, what: "conversation").id
    }
}

/// A group as a person names it in an argument.
struct GroupName: NameArgument {
    let text: String

    var id: GroupID? { GroupID(text.lowercased()) }

    func find(by client: MessagingClient) async throws -> TrainingGroup {
        if let id { return try await client.trainingGroups.group(id) }
        return try await client.trainingGroups.all().one(text, what: "group")
    }
}

/// A challenge as a person names it in an argument.
struct ChallengeName: NameArgument {
    let text: String

    func find(by client: MessagingClient) async throws -> ChallengeID {
        if let id = ChallengeID(text.lowercased()) { return id }
        let all = try await ListPage.all { page throws(ClientError) in try await client.challenges.list(page: page) }
        return try all.one(text, what: "challenge").id
    }
}

/// An item of somebody's activity: its id, or the beginning of it.
struct ActivityName: NameArgument {
    let text: String

    func find(by client: MessagingClient) async throws -> ActivityID {
        if let id = ActivityID(text.lowercased()) { return id }
        let all = try await ListPage.all { page throws(ClientError) in try await client.activity.list(page: page) }
        return try all.one(text, what: "item").id
    }
}

/// An invite to one of the user's groups: its id, or the beginning of it.
struct InviteName: NameArgument {
    let text: String

    func find(by client: MessagingClient) async throws -> InviteID {
        if let id = InviteID(text.lowercased()) { return id }
        var all: [Invite] = []
        for group in try await client.trainingGroups.all() { all += try await client.invites.all(to: group.id) }
        return try all.one(text, what: "invite").id
    }
}

extension Invite: Nameable {
    var names: [String] { [] }
    var idText: String? { id.description }
    var candidate: String { "\(id.short) (by \(createdBy))" }
}

extension ActivityItem: Nameable {
    /// A title is none: people post the same again.
    var names: [String] { [] }
    var idText: String? { id.description }
    var candidate: String { "\(id.short) (\(line(in: .local)))" }
}

extension TrainingGroup: Nameable {
    var names: [String] { [name] }
    var idText: String? { id.description }
    var candidate: String { "\(name.printable) (\(id.short))" }
}

extension Challenge: Nameable {
    /// The other's name is none: there may be many with them.
    var names: [String] { [] }
    var idText: String? { id.description }
    var candidate: String { "\(id.short) (\(challenger) and \(challenged), \(aim))" }
}

extension Collection where Element: Nameable {
    /// What a text names.
    ///
    /// - Throws: ``ToolError`` if it names nothing, or several, which are listed.
    func one(_ text: String, what: String) throws(ToolError) -> Element {
        switch named(text) {
        case .one(let found): return found
        case .none: throw ToolError(.rejected, "no \(what) is called \(text.printable), or has an id that begins so")
        case .several(let found):
            let candidates = found.map(\.candidate).joined(separator: ", ")
            throw ToolError(.usage, "\(text.printable) may be each of these: \(candidates)")
        }
    }
}
