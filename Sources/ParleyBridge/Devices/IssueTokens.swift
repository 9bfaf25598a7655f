import ParleyProtocol
import ParleyStore
import Sodium

// A new token makes the old one worthless sooner or later, so that a repeat must not make another: its asker would go by
// the first reply, with a token that the second has ended. The same request, known by its correlation data or
// `request_id`, gets the same token again within a minute; and as long as nobody has signed in with a renewed token, every
// renewal gets that one.

extension Writer {
    /// How long after it a request for a token is taken for a repeat of one like it, in milliseconds. What the same
    /// device asks for in the same words later is a new wish.
    private static let repeatedWithin: Int64 = 60_000

    /// How long the old token of a renewal signs in at most, in milliseconds (protocol §5).
    private static let previousLifetime: Int64 = 86_400_000

    /// How a device comes to its token.
    enum TokenMaking {
        /// The one before it signs in until the new one has, a day at most.
        case renewal
        /// Nothing that was before it signs in any more, and what it has signed in ends. By an operator's device, or by
        /// the gateway itself.
        case anew(by: DeviceAddress?)
    }

    /// `devices/renew`: of the calling device alone.
    func renew(
        _ device: DeviceID?, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let address = route.address
        guard device ?? address.device == address.device else {
            throw Rejection(.forbidden, "A device renews its own token and no other.")
        }
        guard let current = try transaction.facts.device(address) else { throw Rejection.deviceNotFound }
        let digest = try digest(of: route, for: address, days: nil, name: nil)
        let credentials =
            try repeated(digest, current, transaction.facts, now: now)
            ?? pending(digest, current, transaction, now: now)
            ?? issue(
                address, isOperator: current.isOperator, days: nil, .renewal, request: digest, transaction, &effects,
                now: now)
        effects.outgoing.accept(route, isSecret: true) { credentials.write(to: &$0) }
    }

    /// `admin/add-device`: makes a device, or its token anew, which ends the sessions of the old one.
    func add(
        _ device: AddDevice, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let facts = transaction.facts
        guard let role = try facts.role(of: device.address.user) else { throw Rejection.userNotFound }
        let digest = try digest(of: route, for: device.address, days: device.lifetimeDays, name: device.name)
        let credentials =
            try facts.device(device.address).flatMap { try repeated(digest, $0, facts, now: now) }
            ?? issue(
                device.address, isOperator: role == .operator, days: device.lifetimeDays, .anew(by: route.address),
                request: digest, transaction, &effects, now: now)
        if let name = device.name { try transaction.setName(name, of: device.address) }
        effects.outgoing.accept(route, isSecret: true) { credentials.write(to: &$0) }
    }

    /// Gives a device a new token, or makes the device, and tells its user which of the two it was.
    ///
    /// - Parameter request: the digest of the request for it, if there was one.
    func issue(
        _ address: DeviceAddress, isOperator: Bool, days: Int?, _ making: TokenMaking, request: [UInt8]? = nil,
        _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws -> DeviceCredentials {
        let lifetime = Int64(days ?? settings.tokenLifetimeDays) * 86_400_000
        // Whole seconds, which is all that a token can say.
        let expiresAt = Timestamp(milliseconds: now.advanced(byMilliseconds: lifetime).milliseconds / 1000 * 1000)
        let tokenID = TokenID.random()
        let credentials = try credentials(address, tokenID, expiresAt: expiresAt, isOperator: isOperator)
        let former = try transaction.facts.device(address)
        switch (making, former) {
        case (.renewal, let former?):
            let end = min(now.advanced(byMilliseconds: Writer.previousLifetime), former.expiresAt)
            try transaction.renewToken(
                of: address, to: tokenID.value, expiresAt: expiresAt,
                previous: RenewedToken(tokenID: former.tokenID, endsAt: end), request: request, now: now)
        case (.renewal, nil):
            try transaction.putDevice(
                address, tokenID: tokenID.value, now: now, expiresAt: expiresAt, request: request)
        case (.anew(let maker), _):
            try transaction.putDevice(
                address, tokenID: tokenID.value, now: now, expiresAt: expiresAt, request: request, maker: maker)
        }
        try announceStanding(of: address, transaction.facts, &effects)
        try effects.event(.user(address.user, .events), transaction) { writer in
            if former != nil {
                DeviceRenewal(device: address, expiresAt: expiresAt, at: now).writeEvent(to: &writer)
            } else {
                DeviceAddition(device: address, at: now).writeEvent(to: &writer)
            }
        }
        return credentials
    }

    /// Tells the broker how a device now stands.
    func announceStanding(of address: DeviceAddress, _ facts: Snapshot, _ effects: inout Effects) throws {
        forget(address)
        guard let device = try facts.device(address) else { return }
        effects.audience.append(.device(address, device.standing))
    }

    /// The token that an earlier copy of the request has made: a signature says the same each time.
    private func repeated(
        _ digest: [UInt8]?, _ device: DeviceState, _ facts: Snapshot, now: Timestamp
    ) throws -> DeviceCredentials? {
        guard let digest, let origin = try facts.tokenOrigin(of: device.address), origin.digest == digest,
            abs(now.milliseconds - origin.at.milliseconds) < Writer.repeatedWithin
        else { return nil }
        return try credentials(of: device)
    }

    /// The token of a renewal with which nobody has signed in yet.
    ///
    /// Another one in its place would lock out a device that has kept the first reply and loses the second.
    private func pending(
        _ digest: [UInt8]?, _ device: DeviceState, _ transaction: WriteTransaction, now: Timestamp
    ) throws -> DeviceCredentials? {
        guard let previous = device.previousToken, now < previous.endsAt else { return nil }
        try transaction.setTokenOrigin(digest.map { TokenOrigin(digest: $0, at: now) }, of: device.address)
        return try credentials(of: device)
    }

    private func credentials(of device: DeviceState) throws -> DeviceCredentials {
        try credentials(
            device.address, TokenID(device.tokenID), expiresAt: device.expiresAt, isOperator: device.isOperator)
    }

    private func credentials(
        _ address: DeviceAddress, _ tokenID: TokenID, expiresAt: Timestamp, isOperator: Bool
    ) throws -> DeviceCredentials {
        let claims = AccessToken.Claims(
            user: address.user, device: address.device, expiresAt: expiresAt.milliseconds / 1000, id: tokenID,
            role: isOperator ? .operator : .device)
        return DeviceCredentials(
            username: address.user.text, clientID: "\(address.user):\(address.device)",
            password: try tokens.issue(claims), expiresAt: expiresAt)
    }

    /// What makes two requests for a token the same: who asks for what, and under which name. `nil` for a request
    /// without a name: of two such, the second is a new wish.
    private func digest(
        of route: ReplyRoute, for address: DeviceAddress, days: Int?, name: String?
    ) throws -> [UInt8]? {
        guard route.correlationData != nil || route.requestID != nil else { return nil }
        let parts: [[UInt8]] = [
            Array("\(route.address) \(route.operation) \(address) \(days ?? 0)".utf8),
            route.correlationData ?? [], route.requestID?.json ?? [], name.map { Array($0.utf8) } ?? [],
        ]
        var preimage: [UInt8] = []
        for part in parts {
            for shift in [24, 16, 8, 0] { preimage.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
            preimage += part
        }
        return try BLAKE2b.hash(preimage.span, length: .bytes16)
    }
}

extension DeviceState {
    /// As the broker's plugin is told of it.
    var standing: DeviceStanding {
        DeviceStanding(
            token: TokenID(tokenID), expiresAt: expiresAt.milliseconds / 1000, isOperator: isOperator,
            previous: previousToken.map {
                PreviousToken(token: TokenID($0.tokenID), endsAt: $0.endsAt.milliseconds / 1000)
            }, nameReusedAt: nameReusedAt?.milliseconds)
    }
}

extension RenewDevice: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.renew(device, context.route, context.transaction, &effects, now: context.now)
    }
}

extension AddDevice: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.add(self, context.route, context.transaction, &effects, now: context.now)
    }
}
