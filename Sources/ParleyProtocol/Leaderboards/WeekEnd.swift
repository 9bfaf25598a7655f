/// `week.ended`: the week of a group is over. Late workouts still count until it is closed.
public struct WeekEnd: AddressedEvent, GatewayObject {
    package static let names = ["week.ended"]
    package var topic: Topic { .group(group, .events) }

    public let group: GroupID
    public let week: ISOWeek
    public let startsAt: Timestamp
    public let endsAt: Timestamp
    public let closesAt: Timestamp

    public init(group: GroupID, week: ISOWeek, startsAt: Timestamp, endsAt: Timestamp, closesAt: Timestamp) {
        (self.group, self.week, self.startsAt, self.endsAt, self.closesAt) = (group, week, startsAt, endsAt, closesAt)
    }

    package init<Pass: FieldPass<WeekEnd>>(fields pass: inout Pass) throws(Pass.Failure) {
        group = try pass.required("group_id", \.group)
        week = try pass.required("week", \.week)
        startsAt = try pass.required("starts_at", \.startsAt)
        endsAt = try pass.required("ends_at", \.endsAt)
        closesAt = try pass.required("closes_at", \.closesAt)
    }
}
