/// `social/follow`
public struct Follow: Command, UserRequest {
    public static let operation = Operation(validatedArea: "social", verb: "follow")
    public typealias Reply = FollowCounts

    public let user: UserID

    public init(user: UserID) { self.user = user }
}

/// `social/unfollow`
public struct Unfollow: Command, UserRequest {
    public static let operation = Operation(validatedArea: "social", verb: "unfollow")
    public typealias Reply = FollowCounts

    public let user: UserID

    public init(user: UserID) { self.user = user }
}

/// `social/block`: the other does not learn of it.
public struct Block: Command, UserRequest {
    public static let operation = Operation(validatedArea: "social", verb: "block")
    public typealias Reply = FollowCounts

    public let user: UserID

    public init(user: UserID) { self.user = user }
}

/// `social/unblock`
public struct Unblock: Command, UserRequest {
    public static let operation = Operation(validatedArea: "social", verb: "unblock")
    public typealias Reply = FollowCounts

    public let user: UserID

    public init(user: UserID) { self.user = user }
}

/// `social/can-message`: whether a message of the caller's would be accepted.
public struct CanMessage: Query, UserRequest {
    public static let operation = Operation(validatedArea: "social", verb: "can-message")
    public typealias Reply = PermissionReply

    public let user: UserID

    public init(user: UserID) { self.user = user }
}
