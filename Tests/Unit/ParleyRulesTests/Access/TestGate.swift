import ParleyProtocol
import ParleyRules
import Testing

/// Gates whose devices have signed in, or may. A device named `console` is an operator's.
extension AccessGate {
    static let now: Int64 = 1_768_469_400
    static let second: Int64 = 1_000_000_000
    /// Of every device.
    static let token = TokenID.random()

    /// With the gateway's `out` connection on 1, and a snapshot.
    static func ready(
        _ devices: [DeviceAddress], _ changes: [AudienceChange] = [],
        operatorListeners: OperatorListeners = .unixSocket, _ limit: (inout BrokerLimits) -> Void = { _ in }
    ) -> AccessGate {
        var gate = AccessGate(operatorListeners: operatorListeners)
        gate.connect(.out, on: 1)
        gate.snapshot(devices, changes, limit)
        return gate
    }

    mutating func connect(_ connection: GatewayConnection, on key: UInt) {
        let claims = connection.claims(id: .random(), expiresAt: Self.now + 60)
        let decision = signIn(connection.clientID, GatewayConnection.username, claims, on: ConnectionKey(key))
        #expect(decision == .admitted(.gateway(connection)))
    }

    mutating func snapshot(
        version: UInt64 = 1, _ devices: [DeviceAddress], _ changes: [AudienceChange] = [],
        _ limit: (inout BrokerLimits) -> Void = { _ in }
    ) {
        var limits = BrokerLimits()
        limit(&limits)
        let statuses = devices.map { address in
            AudienceChange.device(
                address,
                DeviceStatus(
                    token: Self.token, expiresAt: Self.now + 60,
                    role: address.device.text == "console" ? .operator : .device))
        }
        _ = handle([.begin(version: version), .limits(limits)] + statuses + changes + [.ready(version: version)])
    }

    mutating func signIn(
        _ address: DeviceAddress, _ connection: String = "", token: TokenID = token, on key: UInt,
        from origin: ClientOrigin = .unixSocket, cleanStart: Bool = true, protocolVersion: Int = 5
    ) -> SignInDecision {
        let claims = AccessToken.Claims(
            user: address.user, device: address.device, expiresAt: Self.now + 60, id: token,
            role: address.device.text == "console" ? .operator : .device)
        return signIn(
            "\(address.user):\(address.device)\(connection)", address.user.text, claims, on: ConnectionKey(key),
            from: origin, cleanStart: cleanStart, protocolVersion: protocolVersion)
    }
}
