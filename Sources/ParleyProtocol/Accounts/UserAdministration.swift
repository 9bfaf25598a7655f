// What operators do with users: `admin/*`.

/// `admin/get-user`: what the gateway knows of a user, without any content.
public struct GetUser: Query, UserRequest {
    public static let operation = Operation(validatedArea: "admin", verb: "get-user")
    package static let askers = Askers.operators
    public typealias Reply = UserDetails

    public let user: UserID

    public init(user: UserID) { self.user = user }
}

/// `admin/rename-user`: gives a user another display name. The id never changes.
public struct RenameUser: Command {
    public static let operation = Operation(validatedArea: "admin", verb: "rename-user")
    package static let askers = Askers.operators
    public typealias Reply = UserChange

    public let user: UserID
    public let displayName: String

    public init(user: UserID, displayName: String) { (self.user, self.displayName) = (user, displayName) }

    package init<Pass: FieldPass<RenameUser>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        displayName = try pass.required("display_name", \.displayName, as: .nonemptyText(Limits.nameCharacters))
    }
}

/// `admin/disable-user`: the user signs in nowhere until they are enabled. Nothing is deleted.
public struct DisableUser: Command, UserRequest {
    public static let operation = Operation(validatedArea: "admin", verb: "disable-user")
    package static let askers = Askers.operators
    public typealias Reply = UserChange

    public let user: UserID

    public init(user: UserID) { self.user = user }
}

/// `admin/enable-user`: takes `admin/disable-user` back. Tokens that have not expired meanwhile sign in again.
public struct EnableUser: Command, UserRequest {
    public static let operation = Operation(validatedArea: "admin", verb: "enable-user")
    package static let askers = Askers.operators
    public typealias Reply = UserChange

    public let user: UserID

    public init(user: UserID) { self.user = user }
}

/// `admin/remove-user`: deletes an account as `account/delete` does, without asking its user.
public struct RemoveUser: Command, UserRequest {
    public static let operation = Operation(validatedArea: "admin", verb: "remove-user")
    package static let askers = Askers.operators
    public typealias Reply = UserChange

    public let user: UserID

    public init(user: UserID) { self.user = user }
}

/// `admin/erase-user`: deletes an account as `admin/remove-user` does, and the content of what its user has sent.
public struct EraseUser: Command, UserRequest {
    public static let operation = Operation(validatedArea: "admin", verb: "erase-user")
    package static let askers = Askers.operators
    public typealias Reply = UserChange

    public let user: UserID

    public init(user: UserID) { self.user = user }
}

/// `admin/export-user`: what the gateway holds of a user, in pages. An item is `type` and `data`.
public struct ExportUser: Query {
    public static let operation = Operation(validatedArea: "admin", verb: "export-user")
    package static let askers = Askers.operators

    public let user: UserID
    public let page: Page

    public init(user: UserID, page: Page = Page()) { (self.user, self.page) = (user, page) }

    package init<Pass: FieldPass<ExportUser>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        page = try pass.part(\.page)
    }
}

/// `admin/renew-device`: makes the token of a live device anew. The one before ends, and its sessions.
public struct RenewUserDevice: Command {
    public static let operation = Operation(validatedArea: "admin", verb: "renew-device")
    package static let askers = Askers.operators
    public typealias Reply = DeviceCredentials

    public let address: DeviceAddress
    /// The lifetime of its token, in days; without it, that of the settings.
    public let lifetimeDays: Int?

    public init(address: DeviceAddress, lifetimeDays: Int? = nil) {
        (self.address, self.lifetimeDays) = (address, lifetimeDays)
    }

    package init<Pass: FieldPass<RenewUserDevice>>(fields pass: inout Pass) throws(Pass.Failure) {
        address = try pass.part(\.address)
        lifetimeDays = try pass.optional("ttl_days", \.lifetimeDays, as: .integer(1...3650))
    }
}

/// The `data` of replies to commands about a user.
public struct UserChange: GatewayObject {
    public let user: UserID
    /// Whether the request has changed anything: a repeat changes nothing.
    public let isChanged: Bool

    public init(user: UserID, isChanged: Bool) { (self.user, self.isChanged) = (user, isChanged) }

    package init<Pass: FieldPass<UserChange>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        isChanged = try pass.required("changed", \.isChanged)
    }
}
