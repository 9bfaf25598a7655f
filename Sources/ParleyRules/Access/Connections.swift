import ParleyProtocol

/// Names one connection for as long as it lasts: the address of the broker's own record of it.
package struct ConnectionKey: Hashable, Sendable {
    private let value: UInt
    package init(_ value: UInt) { self.value = value }
}

/// Who is signed in, by connection.
///
/// The broker asks whether a will may be published when it fires, which is after the end of its connection, or after
/// another connection has taken over its client id. Neither is known here any more by then, so that the wills of
/// devices are refused like any publish of a stranger.
package struct Connections: Sendable {
    private struct Device {
        let id: ClientID
        /// The token that it signed in by, or that renewed it.
        var token: TokenID
    }

    private var devices: [ConnectionKey: Device] = [:]
    private var keys: [DeviceAddress: [ConnectionKey]] = [:]
    /// Kept when they end, because the gateway's will is to be published.
    private var gateway: [GatewayConnection: ConnectionKey] = [:]

    package init() {}

    /// Whether the gateway signed in on this connection, also after it has ended.
    package func isGateway(_ key: ConnectionKey) -> Bool { gateway.values.contains(key) }

    /// The device that signed in on this connection.
    package func device(_ key: ConnectionKey) -> DeviceAddress? { devices[key]?.id.address }

    /// A device has signed in. An older connection with its client id is forgotten: this one takes over.
    package mutating func open(_ key: ConnectionKey, device id: ClientID, token: TokenID) {
        close(key)
        for older in keys[id.address] ?? [] where devices[older]?.id == id { close(older) }
        devices[key] = Device(id: id, token: token)
        keys[id.address, default: []].append(key)
    }

    package mutating func open(_ key: ConnectionKey, gateway connection: GatewayConnection) {
        close(key)
        gateway[connection] = key
    }

    /// The broker's record is about to be somebody else's: nothing that was known of it holds.
    package mutating func forget(_ key: ConnectionKey) {
        close(key)
        for connection in GatewayConnection.allCases where gateway[connection] == key { gateway[connection] = nil }
    }

    /// The connection has ended.
    package mutating func close(_ key: ConnectionKey) {
        guard let address = devices.removeValue(forKey: key)?.id.address else { return }
        keys[address]?.removeAll { $0 == key }
        if keys[address]?.isEmpty == true { keys[address] = nil }
    }

    /// The device's token was renewed: its connections go on under the new one.
    package mutating func renew(_ address: DeviceAddress, token: TokenID) {
        for key in keys[address] ?? [] { devices[key]?.token = token }
    }

    /// Forgets the device's connections, of those only that another token than `token` signed in; their client ids.
    package mutating func end(_ address: DeviceAddress, otherThan token: TokenID? = nil) -> [String] {
        end((keys[address] ?? []).filter { devices[$0]?.token != token })
    }

    /// Forgets the connections of devices for which `isEnded` holds; their client ids.
    package mutating func end(where isEnded: (DeviceAddress, TokenID) -> Bool) -> [String] {
        end(devices.filter { isEnded($0.value.id.address, $0.value.token) }.map(\.key))
    }

    private mutating func end(_ ended: [ConnectionKey]) -> [String] {
        let clientIDs = ended.compactMap { devices[$0]?.id.description }
        for key in ended { close(key) }
        return clientIDs
    }
}
