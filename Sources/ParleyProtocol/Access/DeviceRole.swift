/// What a device is for, and so what it may do (protocol §2).
package enum DeviceRole: String, Hashable, Sendable, CaseIterable {
    /// A person's.
    case device
    case `operator`
    /// Signs people in: it asks for accounts, and for nothing else.
    case door

    /// Whether its token is taken only on the listeners that the plugin's option names.
    package var isLocal: Bool {
        switch self {
        case .device: false
        case .operator, .door: true
        }
    }

    /// The role in its token.
    package var tokenRole: AccessToken.Role {
        switch self {
        case .device: .device
        case .operator: .operator
        case .door: .door
        }
    }
}
