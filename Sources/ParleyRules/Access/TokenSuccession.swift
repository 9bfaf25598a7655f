import ParleyProtocol

/// The devices that have signed in with a renewed token.
///
/// The plugin refuses the old token from then on, and reports the sign-in until the gateway has recorded it, so that
/// this holds after a restart of the broker. Bounded by the devices with a pending renewal.
struct TokenSuccession: Sendable {
    private var successors: [DeviceAddress: TokenID] = [:]
    private var news: [TokenUse] = []

    var everyone: [TokenUse] { successors.map { TokenUse(device: $0.key, token: $0.value) } }

    mutating func recordSignIn(_ address: DeviceAddress, _ status: DeviceStatus) {
        guard status.previous != nil, successors[address] != status.token else { return }
        successors[address] = status.token
        news.append(TokenUse(device: address, token: status.token))
    }

    /// The device's status, corrected by a sign-in that the gateway has not recorded. A recorded or replaced one is
    /// removed.
    mutating func adjusted(_ status: DeviceStatus, of address: DeviceAddress) -> DeviceStatus {
        guard let successor = successors[address] else { return status }
        guard status.previous != nil, status.token == successor else {
            successors[address] = nil
            return status
        }
        return status.withoutPrevious
    }

    mutating func forget(_ address: DeviceAddress) { successors[address] = nil }

    mutating func retain(where isThere: (DeviceAddress) -> Bool) {
        successors = successors.filter { isThere($0.key) }
    }

    mutating func drainNews() -> [TokenUse] {
        defer { news.removeAll() }
        return news
    }
}
