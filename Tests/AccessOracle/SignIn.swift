/// What somebody shows for a password.
package struct ShownToken: Hashable, Sendable {
    package enum Shape: Hashable, Sendable, CaseIterable {
        case whole
        /// No token at all, or a piece of one.
        case none, cut
        /// Something stands behind a token that would be good.
        case trailed
        /// Every claim is right, and the signature another key's.
        case forged
    }

    package enum Role: Hashable, Sendable, CaseIterable { case device, `operator`, gateway }

    package var device: Device
    /// Names the token, as `jti` does.
    package var number: Int
    /// Seconds: it has ended when the clock shows this.
    package var endsAt: Int
    package var role: Role
    package var shape: Shape

    package init(_ device: Device, number: Int, endsAt: Int, role: Role, shape: Shape = .whole) {
        self.device = device
        self.number = number
        self.endsAt = endsAt
        self.role = role
        self.shape = shape
    }
}

/// A CONNECT.
package struct Attempt: Hashable, Sendable {
    package enum Origin: Hashable, Sendable, CaseIterable { case unixSocket, loopback, elsewhere, webSocket }
    package enum Version: Int, Hashable, Sendable, CaseIterable { case v31 = 3, v311, v5 }

    package var clientID: String
    package var username: String
    package var token: ShownToken
    package var origin: Origin
    package var version: Version
    package var isClean: Bool

    package init(
        clientID: String, username: String, token: ShownToken, origin: Origin = .elsewhere, version: Version = .v5,
        isClean: Bool = true
    ) {
        self.clientID = clientID
        self.username = username
        self.token = token
        self.origin = origin
        self.version = version
        self.isClean = isClean
    }
}

/// What a CONNECT comes to.
package enum Admission: Hashable, Sendable {
    case admitted
    /// `Not authorized`.
    case refused
    /// Closed without a verdict.
    case turnedAway
}

extension Facts {
    /// What may be answered; more than one where the protocol leaves open which fault is named.
    package func admission(of attempt: Attempt) -> Set<Admission> {
        // "While the gateway is not ready the broker closes a device's connection without a verdict."
        guard isReady else { return [.turnedAway] }
        // "that `uid` is the username and `uid:did` (or `uid:did:x`) the client id"
        guard let client = ClientName(attempt.clientID), attempt.username == client.device.user else { return [.refused] }
        guard let standing = devices[client.device], isGood(attempt.token, of: client.device, standing) else {
            return [.refused]
        }
        // "The operator role is honoured on the broker's local listeners alone": here, on the Unix socket.
        if standing.isOperator && attempt.origin != .unixSocket { return [.refused] }
        // A further connection is one of "clean start and no stored session".
        if client.further != nil && !attempt.isClean { return [.refused] }
        let isForged = attempt.token.shape == .forged
        if attempt.version == .v31 || !hasRoom(for: client, standing, attempt.origin) {
            return isForged ? [.turnedAway, .refused] : [.turnedAway]
        }
        return isForged ? [.refused] : [.admitted]
    }

    /// "signature, expiry, […] and that the device is not revoked"; the signature is looked at by the caller.
    private func isGood(_ token: ShownToken, of device: Device, _ standing: Standing) -> Bool {
        guard token.shape == .whole || token.shape == .forged else { return false }
        guard token.device == device, token.role == (standing.isOperator ? .operator : .device) else { return false }
        return token.number == standing.token && now < token.endsAt && now < standing.endsAt
    }

    /// "A device uses at most 8 different `x` in 24 h and 8 connections at once, a user 32 (settings); more are turned
    /// away without a verdict." Who takes over their own client id has no connection more.
    private func hasRoom(for client: ClientName, _ standing: Standing, _ origin: Attempt.Origin) -> Bool {
        if let further = client.further {
            let recent = names[client.device, default: [:]].filter { now < $0.value + Facts.day }
            guard recent[further] != nil || recent.count < bounds.namesOfDevice else { return false }
        }
        if connected[client] != nil { return true }
        guard connected.keys.count(where: { $0.device == client.device }) < bounds.ofDevice,
            connected.keys.count(where: { $0.device.user == client.device.user }) < bounds.ofUser
        else { return false }
        return connected.count < bounds.ofAll || standing.isOperator
    }
}
