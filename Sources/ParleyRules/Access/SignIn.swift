import ParleyProtocol

/// What a client says of itself at CONNECT, as bytes, and where it comes from.
package struct SignInAttempt: Sendable {
    package let clientID: [UInt8]
    package let username: [UInt8]
    /// The access token: what stands before the first zero of what was sent. The broker hands a password on as a C
    /// string, and what follows the zero is known to nobody.
    package let password: [UInt8]
    package let origin: ClientOrigin
    package let cleanStart: Bool
    /// Of MQTT: 3 for 3.1, 4 for 3.1.1, 5.
    package let protocolVersion: Int

    package init(
        clientID: [UInt8], username: [UInt8], password: [UInt8], origin: ClientOrigin, cleanStart: Bool,
        protocolVersion: Int = 5
    ) {
        self.clientID = clientID
        self.username = username
        self.password = password
        self.origin = origin
        self.cleanStart = cleanStart
        self.protocolVersion = protocolVersion
    }
}

package enum SignInDecision: Hashable, Sendable {
    case admitted(Client)
    /// Answered with "Not authorized".
    case refused(SignInRefusal)
    /// Closed without a verdict, so that the device tries again: there is no snapshot in force.
    case notReady
    /// Closed without a verdict as well: it may come in another time, or in another way.
    case turnedAway(TurnAway)
    /// The gateway removes what the broker keeps under a device's client id.
    case removing(ClientID)
}

/// Why a client is turned away though nothing is wrong with its token. The reason is for the operator's log and for
/// tests.
package enum TurnAway: String, Hashable, Sendable {
    /// MQTT 3.1, whose SUBACK cannot say that a filter was refused.
    case outdatedProtocol = "speaks MQTT 3.1"
    case connections = "the broker has as many connections as it may"
    case deviceConnections = "the device has as many connections as it may"
    case userConnections = "the user has as many connections as they may"
    /// The device has used as many names of further connections as it may in 24 hours.
    case names = "the device has used as many names of connections as it may in a day"
    /// The device was disconnected for going on past its limits, a moment ago.
    case suspended = "the device was just disconnected for going on past its limits"
}

/// Why a client may not sign in. The reason is for the operator's log and for tests, and is not sent to the client.
package enum SignInRefusal: String, Hashable, Sendable {
    /// The client id is none of `uid:did`, `uid:did:x`.
    case clientID = "malformed client id"
    /// The username is not the `uid` of the client id.
    case username = "username and client id differ"
    /// The password is no token, or its signature is not the gateway's.
    case token = "no valid token"
    case expired = "token expired"
    /// The token is somebody else's, or of another role.
    case foreignToken = "token of another device"
    /// The token is none that the device's status names: an older one, or the device is revoked.
    case revoked = "token replaced or device revoked"
    /// A further connection of a device keeps no session.
    case sessionKept = "further connection without clean start"
    /// The gateway's names are taken only on the Unix-socket listener.
    case notLocal = "gateway's name from outside"
    /// An operator's token is taken on the listeners that the plugin's option names.
    case operatorNotLocal = "operator's token from outside"
    /// The same for a door's.
    case doorNotLocal = "door's token from outside"
}

/// Who a client is, once signed in.
package enum Client: Hashable, Sendable {
    case gateway(GatewayConnection)
    case device(ClientID)

    /// Who has this client id; `nil` if nobody can.
    package init?(clientID: Span<UInt8>) {
        if let device = ClientID(parsing: clientID) {
            self = .device(device)
        } else if let gateway = GatewayConnection(clientID: clientID) {
            self = .gateway(gateway)
        } else {
            return nil
        }
    }

    package var clientID: String {
        switch self {
        case .gateway(let connection): connection.clientID
        case .device(let id): id.description
        }
    }
}

extension SignInAttempt {
    /// Whether a proxy asks if devices may sign in here: "Not authorized" is the answer while they may, and no answer
    /// while they may not. No device has this client id.
    package var isCheck: Bool { clientID.span.equals("parley-check") }

    /// The token that the password is; whether it is good, `decide` says.
    var tokenID: TokenID? { AccessToken(parsing: password.span)?.claims.id }

    /// Decides by the token, and by the facts of this moment.
    ///
    /// - Parameters:
    ///   - audiences: `nil` while no snapshot is in force.
    ///   - operatorListeners: where operators may sign in from.
    ///   - now: seconds since 1970.
    ///   - isSigned: whether the token's signature is the gateway's; asked last, because it is dear.
    package func decide(
        audiences: Audiences?, operatorListeners: OperatorListeners, now: Int64, isSigned: (AccessToken) -> Bool
    ) -> SignInDecision {
        guard protocolVersion >= 4 else { return .turnedAway(.outdatedProtocol) }
        let client = Client(clientID: clientID.span)
        if case .gateway(let connection) = client {
            return decide(connection, now: now, isSigned: isSigned)
        }
        guard let audiences else { return .notReady }
        guard case .device(let id) = client else { return .refused(.clientID) }
        guard username.span.equals(id.address.user.text) else { return .refused(.username) }
        guard let token = AccessToken(parsing: password.span) else { return .refused(.token) }
        guard token.claims.address == id.address, token.claims.role != .gateway else { return .refused(.foreignToken) }
        guard now < token.claims.expiresAt else { return .refused(.expired) }
        guard let status = audiences.status(of: id.address), let end = status.end(of: token.claims.id),
            status.role.tokenRole == token.claims.role
        else { return .refused(.revoked) }
        guard now < end else { return .refused(.expired) }
        guard !status.role.isLocal || operatorListeners.includes(origin) else {
            return .refused(status.role == .door ? .doorNotLocal : .operatorNotLocal)
        }
        guard id.connection == nil || cleanStart else { return .refused(.sessionKept) }
        return isSigned(token) ? .admitted(.device(id)) : .refused(.token)
    }

    /// Whether the gateway signs in here, under a device's client id and to leave nothing there.
    func isGateways(now: Int64, isSigned: (AccessToken) -> Bool) -> Bool {
        guard cleanStart else { return false }
        switch decide(.out, now: now, isSigned: isSigned) {
        case .admitted: return true
        case .refused, .notReady, .turnedAway, .removing: return false
        }
    }

    private func decide(
        _ connection: GatewayConnection, now: Int64, isSigned: (AccessToken) -> Bool
    ) -> SignInDecision {
        guard origin == .unixSocket else { return .refused(.notLocal) }
        guard username.span.equals(GatewayConnection.username) else { return .refused(.username) }
        guard let token = AccessToken(parsing: password.span) else { return .refused(.token) }
        let expected = connection.claims(id: token.claims.id, expiresAt: token.claims.expiresAt)
        guard token.claims == expected else { return .refused(.foreignToken) }
        guard now < token.claims.expiresAt else { return .refused(.expired) }
        return isSigned(token) ? .admitted(.gateway(connection)) : .refused(.token)
    }
}
