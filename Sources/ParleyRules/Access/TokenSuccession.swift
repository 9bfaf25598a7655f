import ParleyProtocol

/// The devices that have signed in with a new token while their old one was still good.
///
/// The plugin refuses the old token from that moment on. The gateway is told until it has noted it, so that it stays so
/// when the broker has forgotten. Bounded by the devices with a renewal under way.
struct TokenSuccession: Sendable {
    private var successors: [DeviceAddress: TokenID] = [:]
    private var news: [TokenUse] = []

    var everyone: [TokenUse] { successors.map { TokenUse(device: $0.key, token: $0.value) } }

    /// The device has signed in with its current token.
    mutating func signedIn(_ address: DeviceAddress, _ standing: DeviceStanding) {
        guard standing.previous != nil, successors[address] != standing.token else { return }
        successors[address] = standing.token
        news.append(TokenUse(device: address, token: standing.token))
    }

    /// How the device stands here, where the gateway may not know yet what has signed in.
    ///
    /// What the gateway has noted, or has overtaken by another token, is forgotten.
    mutating func adjusted(_ standing: DeviceStanding, of address: DeviceAddress) -> DeviceStanding {
        guard let successor = successors[address] else { return standing }
        guard standing.previous != nil, standing.token == successor else {
            successors[address] = nil
            return standing
        }
        return standing.withoutPrevious
    }

    mutating func forget(_ address: DeviceAddress) { successors[address] = nil }

    /// Forgets the devices that are not there any more.
    mutating func keep(where isThere: (DeviceAddress) -> Bool) {
        successors = successors.filter { isThere($0.key) }
    }

    /// What is new since this was last asked.
    mutating func takeNews() -> [TokenUse] {
        defer { news.removeAll() }
        return news
    }
}
