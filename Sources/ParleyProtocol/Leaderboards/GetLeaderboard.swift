/// `leaderboards/get`: a board of one of the caller's groups, of the current or an earlier week.
public struct GetLeaderboard: Query {
    public static let operation = Operation(validatedArea: "leaderboards", verb: "get")
    public typealias Reply = Leaderboard

    public let group: GroupID
    public let type: LeaderboardType
    /// `nil` for the current week.
    public let week: ISOWeek?

    public init(group: GroupID, type: LeaderboardType, week: ISOWeek? = nil) {
        (self.group, self.type, self.week) = (group, type, week)
    }

    package init<Pass: FieldPass<GetLeaderboard>>(fields pass: inout Pass) throws(Pass.Failure) {
        group = try pass.required("group_id", \.group)
        type = try pass.required("type", \.type)
        week = try pass.optional("week", \.week)
    }
}
