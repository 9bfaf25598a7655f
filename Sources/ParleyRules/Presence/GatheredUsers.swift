import ParleyProtocol

/// A set of everybody who is connected, while it comes in parts.
struct GatheredUsers: Sendable {
    let broker: UInt64
    /// How many there are to be.
    let count: Int
    private(set) var users: Set<UserID> = []

    init(broker: UInt64, count: Int) {
        self.broker = broker
        self.count = count
    }

    /// Whether nobody is missing, and nobody too many.
    var isWhole: Bool { users.count == count }

    mutating func add(_ more: [UserID]) {
        // One too many is enough to know that it never will be whole.
        for user in more where users.count <= count { users.insert(user) }
    }
}
