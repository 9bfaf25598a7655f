import ParleyProtocol

/// What a user has spent of a rate of requests.
package struct RateSpending: Hashable, Sendable {
    package let user: UserID
    /// What the rate counts by: an area of operations.
    package let area: String
    /// How long it takes to come back, in microseconds.
    package let time: Int64

    package init(user: UserID, area: String, time: Int64) {
        (self.user, self.area, self.time) = (user, area, time)
    }
}
