/// The `data` of a reply to `keys/get`: the public keys of every device of a user that has published any.
public struct UserKeys: Hashable, Sendable {
    public let user: UserID
    /// Ed25519, 32 bytes; `nil` for a user whose devices know no account keys.
    public let accountKey: [UInt8]?
    public let devices: [DeviceKeys]

    public init(user: UserID, accountKey: [UInt8]? = nil, devices: [DeviceKeys]) {
        self.user = user
        self.accountKey = accountKey
        self.devices = devices
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("user_id", user)
            object.member("account_key", base64: accountKey)
            object.member("devices", array: devices) { $1.write(to: &$0) }
        }
    }
}

/// The event `device.added`: a device of the user's own was made, or made anew under the name of a revoked one.
public struct DeviceAddition: Hashable, Sendable {
    public let device: DeviceAddress
    public let at: Timestamp

    public init(device: DeviceAddress, at: Timestamp) {
        self.device = device
        self.at = at
    }

    public func writeEvent(to writer: inout JSONWriter) {
        writer.deviceEvent("device.added", device, at)
    }
}

/// The event `keys.changed`: `keys/get` has something new of a user, oneself or somebody with whom a conversation is shared.
public struct KeysChange: Hashable, Sendable {
    public let user: UserID

    public init(user: UserID) { self.user = user }

    public func writeEvent(to writer: inout JSONWriter) {
        writer.event("keys.changed") { writer in writer.object { $0.member("user_id", user) } }
    }
}

/// A device of the caller's own user, as `devices/list` shows it.
public struct ListedDevice: Hashable, Sendable {
    public let summary: DeviceSummary
    /// Whether it is the one that asked.
    public let isCurrent: Bool

    public init(summary: DeviceSummary, isCurrent: Bool) {
        self.summary = summary
        self.isCurrent = isCurrent
    }
}

/// The `data` of a reply to `devices/list` and `devices/revoke`.
public struct DeviceList: Hashable, Sendable {
    public let devices: [ListedDevice]

    public init(devices: [ListedDevice]) { self.devices = devices }
}

/// The event `device.revoked`: a device of the user's own has no rights any more.
public struct DeviceRevocation: Hashable, Sendable {
    public let device: DeviceAddress
    public let at: Timestamp

    public init(device: DeviceAddress, at: Timestamp) {
        self.device = device
        self.at = at
    }

    public func writeEvent(to writer: inout JSONWriter) {
        writer.deviceEvent("device.revoked", device, at)
    }
}

/// The event `device.renewed`: a device of the user's own, live before, has a new token.
public struct DeviceRenewal: Hashable, Sendable {
    public let device: DeviceAddress
    /// When the new token ends.
    public let expiresAt: Timestamp
    public let at: Timestamp

    public init(device: DeviceAddress, expiresAt: Timestamp, at: Timestamp) {
        self.device = device
        self.expiresAt = expiresAt
        self.at = at
    }

    public func writeEvent(to writer: inout JSONWriter) {
        writer.deviceEvent("device.renewed", device, at) { $0.member("expires_at", expiresAt) }
    }
}

extension JSONWriter {
    /// An event about one device of the user's own: which, what else there is to say, and when it happened.
    fileprivate mutating func deviceEvent(
        _ name: StaticString, _ device: DeviceAddress, _ at: Timestamp, _ more: (inout JSONWriter) -> Void = { _ in }
    ) {
        event(name) { writer in
            writer.object {
                device.writeFields(to: &$0)
                more(&$0)
                $0.member("at", at)
            }
        }
    }
}

// MARK: Reading

extension UserKeys: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            user: try object.level("user_id").required("user_id"),
            accountKey: try object.base64("account_key", lengths: 32...32),
            devices: try object.values("devices").required("devices"))
    }
}

extension DeviceKeys: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            device: try object.level("device_id").required("device_id"),
            identityKey: try object.base64("identity_key", lengths: 32...32).required("identity_key"),
            signingKey: try object.base64("signing_key", lengths: 32...32),
            signature: try object.base64("signature", lengths: 64...64),
            certificate: try DeviceCertificate(optional: object),
            createdAt: try object.timestamp("created_at").required("created_at"))
    }
}

extension DeviceList: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(devices: try object.values("devices").required("devices"))
    }
}

extension ListedDevice: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            summary: DeviceSummary(
                device: try object.level("device_id").required("device_id"),
                name: try object.text("name", maximum: Limits.nameCharacters),
                createdAt: try object.timestamp("created_at").required("created_at"),
                lastSeen: try object.timestamp("last_seen"),
                expiresAt: try object.timestamp("expires_at").required("expires_at"),
                hasKeys: try object.bool("has_keys").required("has_keys"),
                isCertified: try object.bool("is_certified") ?? false),
            isCurrent: try object.bool("is_current").required("is_current"))
    }
}

extension DeviceRevocation: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(device: try object.address(), at: try object.timestamp("at").required("at"))
    }
}

extension DeviceAddition: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(device: try object.address(), at: try object.timestamp("at").required("at"))
    }
}

extension KeysChange: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(user: try object.level("user_id").required("user_id"))
    }
}

extension DeviceRenewal: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            device: try object.address(), expiresAt: try object.timestamp("expires_at").required("expires_at"),
            at: try object.timestamp("at").required("at"))
    }
}
