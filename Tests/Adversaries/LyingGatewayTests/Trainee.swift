import ParleyClient
import ParleyProtocol
import Synchronization
import TestSupport

/// A client of somebody who trains with others, with all that they ask and hear.
final class Trainee: Sendable {
    let client: MessagingClient
    let group: TrainingGroup
    let chat: ConversationID
    private let friend: UserID
    private let challenge: ChallengeID
    private let item: ActivityID
    private let invite: Invite
    /// The groups in which the user is, as far as the gateway has told: nobody can see that they are not.
    private let groups = Mutex<Set<GroupID>>([])
    /// The boards that were shown.
    private let boards = Mutex<[Leaderboard]>([])

    /// Asks for one of each, and hears of all of them.
    init(_ client: MessagingClient, with friend: UserID) async throws {
        self.client = client
        self.friend = friend
        group = try await client.trainingGroups.create(name: "Morning run")
        chat = try await client.conversation(with: friend).id
        challenge = try await client.challenges.create(.steps, target: 5000, days: 7, to: friend, in: chat).id
        item = try await client.activity.post(.goalReached, title: "5 km").id
        invite = try await client.invites.create(to: group.id)
        groups.withLock { _ = $0.insert(group.id) }
        await client.activity.watch([client.device.user, friend])
        for type in LeaderboardType.allCases {
            let snapshots = await client.leaderboards.snapshots(of: group.id, type)
            // It ends with the client, which ends its sequences.
            _ = taskOnOwnThreads { [self] in
                for try await board in snapshots { boards.withLock { $0.append(board) } }
            }
        }
    }

    /// Waits until a board was shown.
    func awaitBoard() async throws {
        try await waiting(for: "a board") { boards.withLock { !$0.isEmpty } }
    }

    // MARK: Questions

    /// How many are asked by ``askEverything()``.
    static let questions = 19

    /// Asks everything that there is to ask, once.
    ///
    /// - Returns: how many answers there are, and what of them is about something else than was asked for.
    func askEverything() async -> (answers: Int, foreign: [String]) {
        var (answers, foreign) = (0, [String]())
        func ask<Value>(
            _ what: String, _ question: () async throws -> Value, isOwn: (Value) -> Bool = { _ in true }
        ) async {
            // Refused, unreadable, or about something else: no answer.
            guard let value = try? await question() else { return }
            answers += 1
            if !isOwn(value) { foreign.append("\(what): \(value)") }
        }
        let (group, client, chat, friend, user) = (group.id, client, chat, friend, client.device.user)
        await ask(
            "group", { try await client.trainingGroups.group(group) }, isOwn: { self.isOwn($0) && $0.id == group })
        await ask(
            "groups", { try await client.trainingGroups.all() },
            isOwn: { told in
                self.groups.withLock { $0.formUnion(told.map(\.id)) }
                return told.allSatisfy(self.isOwn)
            })
        await ask(
            "rename", { try await client.trainingGroups.rename(group, to: "Evening run") },
            isOwn: { $0.id == group })
        await ask(
            "invites", { try await client.invites.all(to: group) }, isOwn: { $0.allSatisfy { $0.group == group } })
        await ask("invite", { try await client.invites.create(to: group) }, isOwn: { $0.group == group })
        await ask("revoke", { try await client.invites.revoke(self.invite.id) }, isOwn: { $0.id == self.invite.id })
        if let token = invite.token { await ask("preview", { try await client.invites.preview(token) }) }
        for type in LeaderboardType.allCases {
            await ask(
                "board", { try await client.leaderboards.board(of: group, type) },
                isOwn: { $0.group == group && $0.type == .known(type) })
        }
        let week = ISOWeek(of: CivilDay(daysSinceEpoch: 19_000))
        await ask(
            "earlier board", { try await client.leaderboards.board(of: group, .streak, week: week) },
            isOwn: { $0.group == group && $0.week == week })
        await ask(
            "challenge", { try await client.challenges.get(self.challenge) }, isOwn: { $0.id == self.challenge })
        await ask(
            "challenges", { try await client.challenges.list(in: chat) },
            isOwn: { $0.items.allSatisfy { $0.conversation == chat } })
        await ask("notifications", { try await client.notifications.list() })
        await ask("mark read", { try await client.notifications.markAllRead() })
        await ask(
            "activity", { try await client.activity.list(of: user) },
            isOwn: { $0.items.allSatisfy { $0.user == user } })
        await ask(
            "react", { try await client.activity.removeReaction(from: self.item) }, isOwn: { $0.id == self.item })
        await ask("summary", { try await client.activity.summary(of: friend) }, isOwn: { $0.user == friend })
        await ask(
            "workout",
            { try await client.workouts.log(completedAt: Timestamp(milliseconds: 0), timeZone: "UTC") })
        await ask("report") {
            try await client.metrics.report(
                MetricValues(steps: 1), on: CivilDay(daysSinceEpoch: 20_000), in: "UTC", version: 1)
        }
        return (answers, foreign)
    }

    // MARK: What is shown

    private func isOwn(_ group: TrainingGroup) -> Bool {
        group.conversation.value == group.id.value && group.members.contains { $0.user == client.device.user }
    }

    /// What of the boards that were shown is of another group.
    var foreignBoards: [Leaderboard] { boards.withLock { $0.filter { $0.group != group.id } } }

    /// What of these events is about a group, a conversation or a person that nobody has asked for.
    func foreign(in events: [ClientEvent]) -> [String] {
        var groups = groups.withLock { $0 }
        defer { self.groups.withLock { $0.formUnion(groups) } }
        var foreign: [String] = []
        for case .gateway(let event) in events {
            if let joining = event as? GroupJoined { groups.insert(joining.group.id) }
            let isOwn =
                switch event {
                case let joining as GroupJoined: self.isOwn(joining.group)
                case let update as GroupUpdated: groups.contains(update.group.id)
                case let deletion as GroupDeleted: groups.contains(deletion.group)
                case let event as GroupMemberEvent: groups.contains(event.change.group)
                case let end as WeekEnd: groups.contains(end.group)
                case let challenge as Challenge:
                    challenge.conversation == chat || challenge.conversation == group.conversation
                case let item as ActivityItem: item.user == friend || item.user == client.device.user
                case let reaction as ActivityReaction:
                    reaction.owner == friend || reaction.owner == client.device.user
                default: true
                }
            if !isOwn { foreign.append("\(event)") }
        }
        return foreign
    }
}
