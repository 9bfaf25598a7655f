import ParleyProtocol

/// The devices that have signed in with a new token while their old one was still good.
///
/// The plugin refuses the old token from that moment on, and reports it until the gateway has recorded it, so that it
/// holds after a restart of the broker. Bounded by the devices with a renewal under way.
struct TokenSuccession: Sendable {
    private var successors: [DeviceAddress: TokenID] = [:]
    private var news: [TokenUse] = []

    var everyone: [TokenUse] { successors.map { TokenUse(device: $0.key, token: $0.value) } }

    /// The device has signed in with its current token.
    mutating func recordSignIn(_ address: DeviceAddress, _ status: DeviceStatus) {
        guard status.previous != nil, successors[address] != status.token else { return }
        successors[address] = status.token
        news.append(TokenUse(device: address, token: status.token))
    }

    /// The device's status, corrected by what has signed in and the gateway has not recorded yet.
    ///
    /// What the gateway has recorded, or has replaced by another token, is removed.
    mutating func adjusted(_ status: DeviceStatus, of address: DeviceAddress) -> DeviceStatus {
        guard let successor = successors[address] else { return status }
        guard status.previous != nil, status.token == successor else {
            successors[address] = nil
            return status
        }
        return status.withoutPrevious
    }

    mutating func forget(_ address: DeviceAddress) { successors[address] = nil }

    /// Removes the devices that do not exist any more.
    mutating func retain(where isThere: (DeviceAddress) -> Bool) {
        successors = successors.filter { isThere($0.key) }
    }

    /// What is new since this was last asked.
    mutating func drainNews() -> [TokenUse] {
        defer { news.removeAll() }
        return news
    }
}
