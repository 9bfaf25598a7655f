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
        let hasPresence: Bool
        /// What it signed in with.
        let token: TokenID
        var status: DeviceStatus
        /// Whether the broker may keep a session for it when it has gone.
        let keepsSession: Bool
        var held = HeldBytes()
    }

    /// A device that has signed in, with its status.
    package struct SignedIn: Sendable {
        package let address: DeviceAddress
        package let status: DeviceStatus
        /// What it signed in with on this connection.
        package let token: TokenID
    }

    private var devices: [ConnectionKey: Device] = [:]
    private var keys: [DeviceAddress: [ConnectionKey]] = [:]
    /// Kept when they end, because the gateway's will is to be published.
    private var gateway: [GatewayConnection: ConnectionKey] = [:]
    private var connectedGateway: Set<GatewayConnection> = []
    /// How many connections each user's devices have, operators' as well.
    private var userCounts: [UserID: Int] = [:]
    /// Operators are not among them: they have no presence.
    package var users = ConnectedUsers()

    package init() {}

    /// Whether the gateway signed in on this connection, also after it has ended.
    package func isGateway(_ key: ConnectionKey) -> Bool { gateway.values.contains(key) }

    /// Whether this connection of the gateway's is open.
    package func isConnected(_ connection: GatewayConnection) -> Bool { connectedGateway.contains(connection) }

    /// The device that signed in on this connection, with its status.
    package func device(_ key: ConnectionKey) -> SignedIn? {
        devices[key].map { SignedIn(address: $0.id.address, status: $0.status, token: $0.token) }
    }

    /// The client id of a device's open connection.
    package func clientID(of key: ConnectionKey) -> ClientID? { devices[key]?.id }

    /// The open connection of this client id.
    package func key(of id: ClientID) -> ConnectionKey? {
        keys[id.address]?.first { devices[$0]?.id == id }
    }

    /// The open connections of a device.
    package func keys(of address: DeviceAddress) -> [ConnectionKey] { keys[address] ?? [] }

    /// Counts what is about to be queued for this connection: topic and payload, and what they cost the broker besides.
    ///
    /// - Returns: whether the connection is open, or the gateway's.
    package mutating func recordQueued(_ key: ConnectionKey, bytes: Int, overhead: Int, uptime: Int64) -> Bool {
        guard devices[key] != nil else { return isGateway(key) }
        devices[key]?.held.add(bytes, overhead: overhead, uptime: uptime)
        return true
    }

    /// The broker has written so much to the connection since it began, of which so much at most was no message; `nil`
    /// if nothing shows how much.
    mutating func recordWritten(_ key: ConnectionKey, bytes: Int?, answers: Int, uptime: Int64) {
        if let bytes {
            devices[key]?.held.recordWritten(bytes, answers: answers, uptime: uptime)
        } else {
            devices[key]?.held.endMeasuring()
        }
    }

    /// What lies in the broker for the session that this connection leaves behind, in bytes; `nil` if it leaves none.
    package func left(_ key: ConnectionKey, uptime: Int64) -> (device: DeviceAddress, bytes: Int)? {
        guard let device = devices[key], device.keepsSession else { return nil }
        return (device.id.address, device.held.remaining(uptime: uptime))
    }

    /// The connections for which the broker holds so many bytes.
    package func holders(atLeast bytes: Int, uptime: Int64) -> [(key: ConnectionKey, holder: MemoryHolder)] {
        devices.compactMap { key, device in
            let held = device.held.remaining(uptime: uptime)
            return held >= bytes ? (key, MemoryHolder(id: device.id, bytes: held, isConnected: true)) : nil
        }
    }

    /// How many connections of devices are open.
    package var count: Int { devices.count }
    package func count(of address: DeviceAddress) -> Int { keys[address]?.count ?? 0 }
    package func count(of user: UserID) -> Int { userCounts[user] ?? 0 }

    /// The names of a device's further connections that are open.
    package func names(of address: DeviceAddress) -> [String] {
        (keys[address] ?? []).compactMap { devices[$0]?.id.connection }
    }

    /// A device has signed in. An older connection with its client id is forgotten: this one takes over.
    package mutating func open(
        _ key: ConnectionKey, device id: ClientID, token: TokenID, status: DeviceStatus, keepsSession: Bool = true
    ) {
        close(key)
        let older = (keys[id.address] ?? []).filter { devices[$0]?.id == id }
        devices[key] = Device(
            id: id, hasPresence: !status.isOperator, token: token, status: status,
            keepsSession: id.connection == nil && keepsSession)
        keys[id.address, default: []].append(key)
        userCounts[id.address.user, default: 0] += 1
        if !status.isOperator { users.connect(id.address.user) }
        for older in older { close(older) }
    }

    package mutating func open(_ key: ConnectionKey, gateway connection: GatewayConnection) {
        close(key)
        gateway[connection] = key
        connectedGateway.insert(connection)
    }

    /// The broker's record is about to be somebody else's: nothing that was known of it holds.
    package mutating func forget(_ key: ConnectionKey) {
        close(key)
        for connection in GatewayConnection.allCases where gateway[connection] == key { gateway[connection] = nil }
    }

    /// The connection has ended.
    package mutating func close(_ key: ConnectionKey) {
        for connection in GatewayConnection.allCases where gateway[connection] == key {
            connectedGateway.remove(connection)
        }
        guard let device = devices.removeValue(forKey: key) else { return }
        let address = device.id.address
        if device.hasPresence { users.disconnect(address.user) }
        if let count = userCounts[address.user] { userCounts[address.user] = count > 1 ? count - 1 : nil }
        keys[address]?.removeAll { $0 == key }
        if keys[address]?.isEmpty == true { keys[address] = nil }
    }

    /// Applies a device's new status to its connections. Those that were signed in by a token which is the device's no
    /// more are removed.
    ///
    /// - Returns: their client ids.
    package mutating func update(_ address: DeviceAddress, _ status: DeviceStatus) -> [String] {
        let keys = keys[address] ?? []
        for key in keys { devices[key]?.status = status }
        return end(keys.filter { devices[$0].map { status.end(of: $0.token) == nil } ?? false })
    }

    /// Forgets the device's connections; their client ids.
    package mutating func end(_ address: DeviceAddress) -> [String] { end(keys[address] ?? []) }

    /// Forgets the connections of devices for which `isEnded` holds; their client ids.
    package mutating func end(where isEnded: (SignedIn) -> Bool) -> [String] {
        end(devices.keys.filter { key in device(key).map(isEnded) ?? false })
    }

    /// The devices that have connections.
    package var addresses: [DeviceAddress] { Array(keys.keys) }

    private mutating func end(_ ended: [ConnectionKey]) -> [String] {
        let clientIDs = ended.compactMap { devices[$0]?.id.description }
        for key in ended { close(key) }
        return clientIDs
    }
}
