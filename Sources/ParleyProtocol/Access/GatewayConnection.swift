/// One of the gateway's two connections to the broker.
///
/// Their names contain a `/`, which no id has, so that no device can use them.
package enum GatewayConnection: String, Hashable, Sendable, CaseIterable {
    /// Reads requests; its session is durable.
    case intake
    /// Carries audience changes, events and replies.
    case out

    package static let username = "parley/gateway"

    package var clientID: String {
        switch self {
        case .intake: "parley/intake"
        case .out: "parley/out"
        }
    }

    package init?(clientID: Span<UInt8>) {
        for connection in GatewayConnection.allCases where clientID.equals(connection.clientID) {
            self = connection
            return
        }
        return nil
    }

    /// The claims of this connection's token; each attempt to connect has its own, which lives for a minute.
    package func claims(id: TokenID, expiresAt: Int64) -> AccessToken.Claims {
        AccessToken.Claims(
            user: UserID(validated: "gateway"), device: DeviceID(validated: rawValue), expiresAt: expiresAt, id: id,
            role: .gateway)
    }
}
