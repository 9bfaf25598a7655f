import ArgumentParser
import ParleyClient
import ParleyProtocol

struct FollowCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "follow", abstract: "Follows a user, or lists whom one follows and who follows one.",
        discussion: """
            Two who follow each other are friends: they see each other's activity and presence, and may write to each \
            other at once.

            Examples:
              parley follow --as alice/phone bob
              parley follow --as alice/phone
            """)

    @OptionGroup var sender: SenderOptions
    @Argument(help: ArgumentHelp("Whom; without, those that are followed are listed.", valueName: "UID")) var user:
        UserID?
    @Flag(help: "Lists the followers, not those that are followed.") var followers = false
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> SocialResult {
        if let user { return .counts(try await client.people.follow(user), "\(client.device.user) follows \(user)") }
        let followers = followers
        return .people(
            try await ListPage.all { page throws(ClientError) in
                followers
                    ? try await client.people.followers(page: page) : try await client.people.following(page: page)
            })
    }

    func show(_ result: SocialResult) { result.show(by: common.output) }
}

struct UnfollowCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "unfollow", abstract: "Follows a user no more.")

    @OptionGroup var change: SocialOptions

    var sender: SenderOptions { change.sender }
    var common: CommonOptions { change.common }

    func ask(_ client: MessagingClient) async throws -> SocialResult {
        .counts(try await client.people.unfollow(change.user), "\(client.device.user) does not follow \(change.user)")
    }

    func show(_ result: SocialResult) { result.show(by: common.output) }
}

struct BlockCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "block", abstract: "Stops a user's direct messages, or lists who is blocked.",
        discussion: """
            They are not told, and stay in the groups that both are in.

            Examples:
              parley block --as alice/phone eve
              parley block --as alice/phone
            """)

    @OptionGroup var sender: SenderOptions
    @Argument(help: ArgumentHelp("Whom; without, those that are blocked are listed.", valueName: "UID")) var user:
        UserID?
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> SocialResult {
        if let user { return .counts(try await client.people.block(user), "\(user) is blocked") }
        return .people(
            try await ListPage.all { page throws(ClientError) in try await client.people.blocked(page: page) })
    }

    func show(_ result: SocialResult) { result.show(by: common.output) }
}

struct UnblockCommand: ClientCommand {
    static let configuration = CommandConfiguration(commandName: "unblock", abstract: "Ends the block of a user.")

    @OptionGroup var change: SocialOptions

    var sender: SenderOptions { change.sender }
    var common: CommonOptions { change.common }

    func ask(_ client: MessagingClient) async throws -> SocialResult {
        .counts(try await client.people.unblock(change.user), "\(change.user) is not blocked")
    }

    func show(_ result: SocialResult) { result.show(by: common.output) }
}

/// Whom a change is about.
struct SocialOptions: ParsableArguments {
    @OptionGroup var sender: SenderOptions
    @Argument(help: ArgumentHelp("Whom.", valueName: "UID")) var user: UserID
    @OptionGroup var common: CommonOptions
}

/// What a command about other users prints.
enum SocialResult: Sendable {
    /// The user's own counts after a change, and the change in words.
    case counts(FollowCounts, String)
    case people([ListedPerson])

    func show(by output: OutputOptions) {
        switch self {
        case .counts(let counts, let sentence): output.print(counts, as: sentence)
        case .people(let people):
            output.print(people, headings: ["USER", "NAME", "SINCE"]) { person in
                [person.user.text, person.displayName ?? "", person.since.map { TimeZone.local.civil($0).stamp } ?? ""]
            }
        }
    }
}
