import ParleyProtocol

/// The set of everybody who is connected, which the plugin sends in parts.
struct GatheredUsers: Sendable {
    let broker: UInt64
    /// How many there are to be.
    let count: Int
    private(set) var users: Set<UserID> = []

    /// Whether as many came as were announced.
    var isWhole: Bool { users.count == count }

    mutating func add(_ more: [UserID]) {
        // More than were announced: it can never be complete, and is not stored.
        for user in more where users.count <= count { users.insert(user) }
    }
}
