/// A device of the caller's own user.
public struct DeviceSummary: GatewayObject {
    public let device: DeviceID
    /// Given by people.
    public let name: String?
    public let createdAt: Timestamp
    /// The time of its last request, to within ten minutes.
    public let lastSeen: Timestamp?
    /// The expiry of its token.
    public let expiresAt: Timestamp
    public let hasKeys: Bool
    /// Whether the gateway has a certificate of it by the user's account key. A device verifies that itself.
    public let isCertified: Bool
    /// `nil` if no push service reaches the device.
    public let push: PushRegistrationSummary?

    public init(
        device: DeviceID, name: String? = nil, createdAt: Timestamp, lastSeen: Timestamp? = nil, expiresAt: Timestamp,
        hasKeys: Bool, isCertified: Bool = false, push: PushRegistrationSummary? = nil
    ) {
        self.device = device
        self.name = name
        self.createdAt = createdAt
        self.lastSeen = lastSeen
        self.expiresAt = expiresAt
        self.hasKeys = hasKeys
        self.isCertified = isCertified
        self.push = push
    }

    package init<Pass: FieldPass<DeviceSummary>>(fields pass: inout Pass) throws(Pass.Failure) {
        device = try pass.required("device_id", \.device)
        name = try pass.optional("name", \.name, as: .text(Limits.nameCharacters))
        createdAt = try pass.required("created_at", \.createdAt)
        lastSeen = try pass.optional("last_seen", \.lastSeen)
        expiresAt = try pass.required("expires_at", \.expiresAt)
        hasKeys = try pass.required("has_keys", \.hasKeys)
        isCertified = try pass.required("is_certified", \.isCertified, default: false)
        push = try pass.optional("push", \.push, as: .object())
    }

    package func write(to writer: inout JSONWriter, isCurrent: Bool) {
        ListedDevice(summary: self, isCurrent: isCurrent).write(to: &writer)
    }
}

/// The credentials of a device: the `data` of `devices/renew` and `admin/add-device`, and a device's file.
public struct DeviceCredentials: GatewayObject, Codable, PrintedWithoutContent {
    public let username: String
    public let clientID: String
    /// The access token. Secret.
    public let password: String
    public let expiresAt: Timestamp

    public init(username: String, clientID: String, password: String, expiresAt: Timestamp) {
        (self.username, self.clientID, self.password, self.expiresAt) = (username, clientID, password, expiresAt)
    }

    /// Without the token.
    public var description: String { "credentials of \(clientID) until \(expiresAt)" }

    enum CodingKeys: String, CodingKey {
        case username
        case clientID = "client_id"
        case password
        case expiresAt = "expires_at"
    }

    package init<Pass: FieldPass<DeviceCredentials>>(fields pass: inout Pass) throws(Pass.Failure) {
        username = try pass.required("username", \.username, as: .text(64))
        clientID = try pass.required("client_id", \.clientID, as: .text(256))
        password = try pass.required("password", \.password, as: .text(8192))
        expiresAt = try pass.required("expires_at", \.expiresAt)
    }
}

/// `admin/add-user`.
public struct AddUser: Command {
    public static let operation = Operation(validatedArea: "admin", verb: "add-user")
    package static let askers = Askers.operators

    public let user: UserID
    public let displayName: String?
    /// The initial setting of the profile.
    public let messagePrivacy: MessagePrivacy?

    public init(user: UserID, displayName: String? = nil, messagePrivacy: MessagePrivacy? = nil) {
        (self.user, self.displayName, self.messagePrivacy) = (user, displayName, messagePrivacy)
    }

    package init<Pass: FieldPass<AddUser>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        displayName = try pass.optional("display_name", \.displayName, as: .text(Limits.nameCharacters))
        messagePrivacy = try pass.optional("message_privacy", \.messagePrivacy)
    }
}

/// `admin/add-device`: makes a device, or a new token for one.
public struct AddDevice: Command {
    public static let operation = Operation(validatedArea: "admin", verb: "add-device")
    package static let askers = Askers.operators
    public typealias Reply = DeviceCredentials

    public let address: DeviceAddress
    /// The lifetime of its token, in days; without it, that of the settings.
    public let lifetimeDays: Int?
    /// Given by people. Without it, an existing device keeps its name.
    public let name: String?
    /// Whether a device that is there already is a `conflict`, and keeps its token.
    public let isNew: Bool

    public init(address: DeviceAddress, lifetimeDays: Int? = nil, name: String? = nil, isNew: Bool = false) {
        (self.address, self.lifetimeDays, self.name, self.isNew) = (address, lifetimeDays, name, isNew)
    }

    package init<Pass: FieldPass<AddDevice>>(fields pass: inout Pass) throws(Pass.Failure) {
        address = try pass.part(\.address)
        lifetimeDays = try pass.optional("ttl_days", \.lifetimeDays, as: .integer(1...3650))
        name = try pass.optional("name", \.name, as: .nonemptyText(Limits.nameCharacters))
        isNew = try pass.flag("is_new", \.isNew)
    }
}

/// `admin/revoke-device`
public struct RevokeUserDevice: Command {
    public static let operation = Operation(validatedArea: "admin", verb: "revoke-device")
    package static let askers = Askers.operators

    public let address: DeviceAddress
    /// Whether the devices that it has made as an operator's device stay. Otherwise they are revoked with it.
    public let keepsIssued: Bool

    public init(address: DeviceAddress, keepsIssued: Bool = false) {
        (self.address, self.keepsIssued) = (address, keepsIssued)
    }

    package init<Pass: FieldPass<RevokeUserDevice>>(fields pass: inout Pass) throws(Pass.Failure) {
        address = try pass.part(\.address)
        keepsIssued = try pass.flag("keep_issued", \.keepsIssued)
    }
}

public struct ListUsers: Query, PageRequest {
    public static let operation = Operation(validatedArea: "admin", verb: "list-users")
    package static let askers = Askers.operators

    public let page: Page

    public init(page: Page = Page()) { self.page = page }
}

/// A user, as `admin/*` shows them.
public struct UserSummary: Hashable, Sendable {
    public let user: UserID
    public let displayName: String
    public let createdAt: Timestamp
    public let devices: [DeviceID]
    /// Whether they sign in nowhere until an operator enables them.
    public let isDisabled: Bool

    public init(
        user: UserID, displayName: String, createdAt: Timestamp, devices: [DeviceID], isDisabled: Bool = false
    ) {
        (self.user, self.displayName, self.createdAt, self.devices) = (user, displayName, createdAt, devices)
        self.isDisabled = isDisabled
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("user_id", user)
            object.member("display_name", displayName)
            object.member("created_at", createdAt)
            object.member("devices", array: devices) { $0.value($1) }
            object.member("is_disabled", isDisabled)
        }
    }
}
