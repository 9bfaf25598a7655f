import ParleyProtocol

/// Names a connection while it lasts: the address of the broker's record of it.
package struct ConnectionKey: Hashable, Sendable {
    private let value: UInt
    package init(_ value: UInt) { self.value = value }
}

/// The signed-in clients by connection.
///
/// A will fires after the end of its connection, or after a take-over. The connection is unknown by then, so that wills
/// of devices are refused like a publish of a stranger.
package struct Connections: Sendable {
    private struct Device {
        let id: ClientID
        let hasPresence: Bool
        /// Of its sign-in.
        let token: TokenID
        var status: DeviceStatus
        /// Whether the broker may keep a session after it.
        let keepsSession: Bool
        var held = HeldBytes()
    }

    package struct SignedIn: Sendable {
        package let address: DeviceAddress
        package let status: DeviceStatus
        /// Of the sign-in on this connection.
        package let token: TokenID
    }

    private var devices: [ConnectionKey: Device] = [:]
    private var keys: [DeviceAddress: [ConnectionKey]] = [:]
    /// Kept after their end, for the gateway's will.
    private var gateway: [GatewayConnection: ConnectionKey] = [:]
    private var connectedGateway: Set<GatewayConnection> = []
    /// Connections of each user's devices, also of operators.
    private var userCounts: [UserID: Int] = [:]
    /// Without operators, who have no presence.
    package var users = ConnectedUsers()

    package init() {}

    /// Whether the gateway signed in on this connection, also after it has ended.
    package func isGateway(_ key: ConnectionKey) -> Bool { gateway.values.contains(key) }

    package func isConnected(_ connection: GatewayConnection) -> Bool { connectedGateway.contains(connection) }

    package func device(_ key: ConnectionKey) -> SignedIn? {
        devices[key].map { SignedIn(address: $0.id.address, status: $0.status, token: $0.token) }
    }

    /// Of a device's open connection.
    package func clientID(of key: ConnectionKey) -> ClientID? { devices[key]?.id }

    package func key(of id: ClientID) -> ConnectionKey? {
        keys[id.address]?.first { devices[$0]?.id == id }
    }

    package func keys(of address: DeviceAddress) -> [ConnectionKey] { keys[address] ?? [] }

    /// Counts a message that is about to be queued.
    ///
    /// - Parameter overhead: its cost beside topic and payload.
    /// - Returns: whether the connection is open, or the gateway's.
    package mutating func recordQueued(_ key: ConnectionKey, bytes: Int, overhead: Int, uptime: Int64) -> Bool {
        guard devices[key] != nil else { return isGateway(key) }
        devices[key]?.held.add(bytes, overhead: overhead, uptime: uptime)
        return true
    }

    /// - Parameters:
    ///   - bytes: written to the connection so far, if known.
    ///   - answers: how many of them, at most, were no messages.
    mutating func recordWritten(_ key: ConnectionKey, bytes: Int?, answers: Int, uptime: Int64) {
        if let bytes {
            devices[key]?.held.recordWritten(bytes, answers: answers, uptime: uptime)
        } else {
            devices[key]?.held.endMeasuring()
        }
    }

    /// The queued bytes of the session that this connection leaves behind; `nil` if it leaves none.
    package func left(_ key: ConnectionKey, uptime: Int64) -> (device: DeviceAddress, bytes: Int)? {
        guard let device = devices[key], device.keepsSession else { return nil }
        return (device.id.address, device.held.remaining(uptime: uptime))
    }

    package func holders(atLeast bytes: Int, uptime: Int64) -> [(key: ConnectionKey, holder: MemoryHolder)] {
        devices.compactMap { key, device in
            let held = device.held.remaining(uptime: uptime)
            return held >= bytes ? (key, MemoryHolder(id: device.id, bytes: held, isConnected: true)) : nil
        }
    }

    /// Open connections of devices.
    package var count: Int { devices.count }
    package func count(of address: DeviceAddress) -> Int { keys[address]?.count ?? 0 }
    package func count(of user: UserID) -> Int { userCounts[user] ?? 0 }

    /// The names of a device's open further connections.
    package func names(of address: DeviceAddress) -> [String] {
        (keys[address] ?? []).compactMap { devices[$0]?.id.connection }
    }

    /// A device has signed in, and takes over an older connection with its client id.
    package mutating func open(
        _ key: ConnectionKey, device id: ClientID, token: TokenID, status: DeviceStatus, keepsSession: Bool = true
    ) {
        close(key)
        let older = (keys[id.address] ?? []).filter { devices[$0]?.id == id }
        devices[key] = Device(
            id: id, hasPresence: status.role == .device, token: token, status: status,
            keepsSession: id.connection == nil && keepsSession)
        keys[id.address, default: []].append(key)
        userCounts[id.address.user, default: 0] += 1
        if status.role == .device { users.connect(id.address.user) }
        for older in older { close(older) }
    }

    package mutating func open(_ key: ConnectionKey, gateway connection: GatewayConnection) {
        close(key)
        gateway[connection] = key
        connectedGateway.insert(connection)
    }

    /// The broker's record will be another connection's.
    package mutating func forget(_ key: ConnectionKey) {
        close(key)
        for connection in GatewayConnection.allCases where gateway[connection] == key { gateway[connection] = nil }
    }

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

    /// Applies a device's new status, and forgets connections whose token has ended.
    ///
    /// - Returns: the client ids of those.
    package mutating func update(_ address: DeviceAddress, _ status: DeviceStatus) -> [String] {
        let keys = keys[address] ?? []
        for key in keys { devices[key]?.status = status }
        return end(keys.filter { devices[$0].map { status.end(of: $0.token) == nil } ?? false })
    }

    /// Forgets the device's connections, and returns their client ids.
    package mutating func end(_ address: DeviceAddress) -> [String] { end(keys[address] ?? []) }

    /// Forgets connections, and returns their client ids.
    package mutating func end(where isEnded: (SignedIn) -> Bool) -> [String] {
        end(devices.keys.filter { key in device(key).map(isEnded) ?? false })
    }

    /// Of devices with connections.
    package var addresses: [DeviceAddress] { Array(keys.keys) }

    private mutating func end(_ ended: [ConnectionKey]) -> [String] {
        let clientIDs = ended.compactMap { devices[$0]?.id.description }
        for key in ended { close(key) }
        return clientIDs
    }
}
