/// `leaderboards/get`: a board of a group in which the caller is, of the week that runs or of an earlier one.
public struct GetLeaderboard: Query {
    public static let operation = Operation(validatedArea: "leaderboards", verb: "get")
    public static let fields = "group_id, type, week?"
    public typealias Reply = Leaderboard

    public let group: GroupID
    public let type: LeaderboardType
    /// `nil` for the week that runs.
    public let week: ISOWeek?

    public init(group: GroupID, type: LeaderboardType, week: ISOWeek? = nil) {
        self.group = group
        self.type = type
        self.week = week
    }

    public init(_ object: JSONObject) throws(Rejection) {
        group = try object.uuid("group_id").required("group_id")
        type = try object.choice("type").required("type")
        week = try ISOWeek.read("week", of: object)
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("group_id", group)
        object.member("type", type.rawValue)
        if let week { object.member("week", week) }
    }
}
