import ArgumentParser

/// The request that cuts a user or a device off.
enum Cut: String, CaseIterable, ExpressibleByArgument {
    /// An admin removes a member.
    case remove
    /// A member leaves, by one of their devices.
    case leave
    /// One user of a direct conversation blocks the other.
    case block
    /// A user revokes devices of their own.
    case revoke
    /// An operator revokes them.
    case operatorRevoke = "operator-revoke"

    /// Whether the devices concerned are signed out.
    var endsDevices: Bool {
        switch self {
        case .revoke, .operatorRevoke: true
        case .remove, .leave, .block: false
        }
    }

    var label: String {
        switch self {
        case .remove: "remove-member"
        case .leave: "leave"
        case .block: "block"
        case .revoke: "devices/revoke"
        case .operatorRevoke: "admin/revoke-device"
        }
    }
}
