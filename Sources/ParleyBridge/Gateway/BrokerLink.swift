import MQTTClient
import ParleyProtocol

/// How the gateway signs in to its broker: on the Unix socket alone, by a short token that it signs for itself.
package struct BrokerLink: Sendable {
    package enum Role {
        case intake, out
        /// Under the client id of a device whose session is to be removed.
        case removal(of: ClientID)

        /// The connection that the token names.
        fileprivate var connection: GatewayConnection {
            switch self {
            case .intake: .intake
            case .out, .removal: .out
            }
        }

        fileprivate var clientID: String {
            switch self {
            case .intake, .out: connection.clientID
            case .removal(let id): id.description
            }
        }
    }

    private let socket: String
    private let tokens: TokenIssuer
    /// The name of the gateway among several on one store.
    private let cell: String?
    /// The most packets under way from the broker: as many as a batch can hold.
    private let receiveMaximum: UInt16

    package init(socket: String, tokens: TokenIssuer, cell: String? = nil, batchLimit: Int) {
        self.socket = socket
        self.tokens = tokens
        self.cell = cell
        receiveMaximum = UInt16(clamping: batchLimit)
    }

    private static let tokenSeconds: Int64 = 60
    /// The most unacknowledged publishes. More than 150 would only cost: libmosquitto goes through all of them at every
    /// publish (measured with 1000: 19 µs of CPU a message instead of 9).
    private static let sendMaximum: UInt16 = 128

    /// A fresh connection. Nothing of an earlier one survives in it.
    ///
    /// - Parameter wall: the machine's time of day, by which the broker judges the token. The gateway's time may not
    ///   follow it yet.
    package func connection(_ role: Role, now: Timestamp, wall: Timestamp) throws -> MQTTConnection {
        let password = try tokens.issue(
            role.connection.claims(
                id: .random(), expiresAt: wall.milliseconds / 1000 + BrokerLink.tokenSeconds))
        var configuration = MQTTConfiguration(endpoint: .unixSocket(path: socket), clientID: role.clientID)
        configuration.username = GatewayConnection.username
        configuration.password = Secret(password)
        configuration.receiveMaximum = receiveMaximum
        configuration.sendMaximum = BrokerLink.sendMaximum
        switch role {
        case .removal: configuration.cleanStart = true
        case .intake:
            // A durable session: requests sent while the gateway is down wait in the broker.
            configuration.cleanStart = false
            configuration.sessionExpiry = MQTTConfiguration.endlessSession
            configuration.acknowledgement = .held
            // A longer request is answered by its length alone.
            configuration.longestPayload = Limits.requestBytes
            configuration.beginningOfLonger = RequestID.searchedBytes
        case .out:
            configuration.cleanStart = true
            configuration.will = Will(
                topic: Topic.gatewayStatus.name, payload: status(.offline, since: now).payload, isRetained: true)
        }
        return try MQTTConnection(configuration)
    }

    func status(_ state: GatewayStatus.State, since: Timestamp) -> GatewayStatus {
        GatewayStatus(state: .known(state), version: parleyVersion, since: since, cell: cell)
    }
}

extension GatewayStatus {
    /// The event.
    fileprivate var payload: [UInt8] {
        var writer = JSONWriter()
        writeEvent(to: &writer)
        return writer.finish()
    }
}

/// The version of this gateway.
package let parleyVersion = ParleyProtocol.parleyVersion
