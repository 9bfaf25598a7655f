import ParleyProtocol

/// The set of all connected users, which the plugin sends in parts.
struct GatheredUsers: Sendable {
    let broker: UInt64
    /// As announced.
    let count: Int
    private(set) var users: Set<UserID> = []

    var isWhole: Bool { users.count == count }

    mutating func add(_ more: [UserID]) {
        // A set with more than announced is never complete.
        for user in more where users.count <= count { users.insert(user) }
    }
}
