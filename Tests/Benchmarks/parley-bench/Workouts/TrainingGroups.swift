import GatewaySite
import Platform
import ParleyBridge
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Groups that train together, whose members have done something every day, straight in the database of a gateway that
/// does not run. The week that runs for all of them is that of a week ago: the gateway ends it when it starts.
struct TrainingGroups {
    /// A group and those of its members who have a device.
    struct Group {
        let id: GroupID
        let seats: [Population.Seat]
    }

    let groups: Int
    let members: Int
    let days: Int
    /// How many members of a group have a device.
    let devices: Int
    /// How many of the groups have members with devices, spread over all of them.
    let connected: Int

    private let now = Timestamp.systemNow
    private static let madeAtOnce = 20

    /// - Returns: those with devices.
    func fill(_ store: Store, _ tokens: TokenIssuer, stop: StopFlag) throws -> [Group] {
        var result: [Group] = []
        var all: [(key: GroupKey, id: GroupID)] = []
        let stride = max(1, groups / connected)
        for first in Swift.stride(from: 0, to: groups, by: Self.madeAtOnce) {
            if stop.isRaised { throw LoadError.interrupted }
            if first % 1000 == 0, first > 0 { report("\(first) of \(groups) groups are made") }
            try store.write { transaction in
                for number in first..<min(first + Self.madeAtOnce, groups) {
                    let isConnected = (number + 1) % stride == 0 && result.count < connected
                    let (key, group) = try add(number, isConnected, transaction, tokens)
                    all.append((key, group.id))
                    for place in 0..<members { try train(user(number, place), number, transaction) }
                    if isConnected { result.append(group) }
                }
            }
        }
        for first in Swift.stride(from: 0, to: all.count, by: 1000) {
            try store.write { transaction in
                for group in all[first..<min(first + 1000, all.count)] { try begin(group, transaction) }
            }
        }
        return result
    }

    /// The week that runs, and what stands on its boards.
    private func begin(
        _ group: (key: GroupKey, id: GroupID), _ transaction: WriteTransaction
    ) throws {
        let period = WeekPeriod(WeekPeriod(at: now, in: .utc).week.previous, in: .utc)
        try transaction.boardWeeks.put(BoardWeek(group: group.key, id: group.id, timeZone: "UTC", period: period))
        let users = try transaction.facts.boards.members(of: group.key)
        for type in LeaderboardType.allCases where days > 0 {
            let value = type == .streak ? days : min(days, 7)
            let board = try transaction.boards.insert(
                BoardKey(group.key, period.week, type), period,
                removal: period.endsAt.advanced(by: .seconds(90 * 86_400)))
            var new = board
            let score = BoardScore(
                value: value, reachedAt: period.endsAt.advanced(by: .seconds(-40_000)),
                lapsesAt: type == .streak ? CivilDay(now).advanced(byDays: 1).midnight : nil)
            new.standings.set(users.map { ($0.user, score, $0.joinedAt) })
            new.publishedVersion = new.version
            try transaction.boards.update(board, to: new)
        }
    }

    private func user(_ number: Int, _ place: Int) throws -> UserID {
        try DeviceAddress(named: "bench-\(number)-\(place)", "phone").user
    }

    private func add(
        _ number: Int, _ isConnected: Bool, _ transaction: WriteTransaction, _ tokens: TokenIssuer
    ) throws -> (GroupKey, Group) {
        let users = try (0..<members).map { try user(number, $0) }
        for user in users {
            try transaction.users.insert(user, role: .member, displayName: user.text, at: now)
        }
        let seats = try users.prefix(isConnected ? devices : 0).map { user in
            try Population.Seat(DeviceAddress(named: user.text, "phone"), tokens, now: now, transaction)
        }
        let id = GroupID.random()
        let conversation = ConversationID(of: id)
        _ = try transaction.conversations.insert(
            NewConversation(
                id: conversation, type: .group, name: "Group \(number)", creator: users[0],
                members: users.map { ($0, .member) }, epoch: "bench", digest: nil),
            // Who joins after a week is not notified of its end.
            at: now.advanced(by: .seconds(-30 * 86_400)))
        guard let state = try transaction.facts.conversations.conversation(conversation) else {
            throw Rejection.conversationNotFound
        }
        let group = try transaction.groups.insert(
            id, of: state, timeZone: "UTC", digest: [UInt8](repeating: 0, count: 16))
        return (group.key, Group(id: id, seats: seats))
    }

    /// One workout on each day before today. Their ids ascend, as those of version 7 do: a year is filled in no year.
    private func train(_ user: UserID, _ number: Int, _ transaction: WriteTransaction) throws {
        let today = CivilDay(now)
        let first = today.advanced(byDays: -days)
        let reply = ISOWeek(of: first)
        for day in 0..<days {
            let day = first.advanced(byDays: day)
            let id = WorkoutID(UUIDValue(high: UInt64(number), low: UInt64.random(in: .min ... .max)))
            let workout = CountedWorkout(
                id: id, completedAt: day.midnight.advanced(byMilliseconds: 43_200_000), day: day, zone: "UTC")
            try transaction.workouts.insert(
                workout, of: user, kind: nil, minutes: nil, digest: [UInt8](repeating: 0, count: 16),
                reply: WorkoutReply(id: id, week: reply, checkIns: 1, streakDays: 1))
        }
        guard days > 0 else { return }
        try transaction.workouts.apply(DayRunChange(adding: first, before: nil, after: nil), to: user)
        guard days > 1 else { return }
        let last = today.advanced(byDays: -1)
        let before = DayRun(first: first, last: last.advanced(byDays: -1))
        try transaction.workouts.apply(DayRunChange(adding: last, before: before, after: nil), to: user)
    }
}
