import ParleyProtocol
import ParleyStore
import Sodium

// A new token makes the old one worthless, so that a repeat must not make another: its asker would go by the first
// reply, with a token that the second has ended. The same request, known by its correlation data or `request_id`, gets
// the same token again within a minute.

extension Writer {
    /// How long after it a request for a token is taken for a repeat of one like it, in milliseconds. What the same
    /// device asks for in the same words later is a new wish.
    private static let repeatedWithin: Int64 = 60_000

    /// `devices/renew`: the old token signs in no more; sessions go on until the new one ends.
    func renew(
        _ device: DeviceID?, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let address = DeviceAddress(user: route.address.user, device: device ?? route.address.device)
        guard let current = try transaction.facts.device(address) else { throw Rejection.deviceNotFound }
        let digest = try digest(of: route, for: address, days: nil)
        let credentials =
            try repeated(digest, current, transaction.facts, now: now)
            ?? issue(
                address, isOperator: current.isOperator, days: nil, endsSessions: false, request: digest, transaction,
                &effects, now: now)
        effects.outgoing.accept(route, isSecret: true) { credentials.write(to: &$0) }
    }

    /// `admin/add-device`: makes a device, or its token anew, which ends the sessions of the old one.
    func add(
        _ device: AddDevice, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let facts = transaction.facts
        guard let role = try facts.role(of: device.address.user) else { throw Rejection.userNotFound }
        let digest = try digest(of: route, for: device.address, days: device.lifetimeDays)
        let credentials =
            try facts.device(device.address).flatMap { try repeated(digest, $0, facts, now: now) }
            ?? issue(
                device.address, isOperator: role == .operator, days: device.lifetimeDays, endsSessions: true,
                request: digest, transaction, &effects, now: now)
        effects.outgoing.accept(route, isSecret: true) { credentials.write(to: &$0) }
    }

    /// Gives a device a new token, the only one that is accepted from then on.
    ///
    /// - Parameter request: the digest of the request for it, if there was one.
    func issue(
        _ address: DeviceAddress, isOperator: Bool, days: Int?, endsSessions: Bool, request: [UInt8]? = nil,
        _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws -> DeviceCredentials {
        let lifetime = Int64(days ?? settings.tokenLifetimeDays) * 86_400_000
        // Whole seconds, which is all that a token can say.
        let expiresAt = Timestamp(milliseconds: now.advanced(byMilliseconds: lifetime).milliseconds / 1000 * 1000)
        let tokenID = TokenID.random()
        let credentials = try credentials(address, tokenID, expiresAt: expiresAt, isOperator: isOperator)
        try transaction.putDevice(address, tokenID: tokenID.value, now: now, expiresAt: expiresAt, request: request)
        forget(address)
        let standing = DeviceStanding(
            token: tokenID, expiresAt: expiresAt.milliseconds / 1000, isOperator: isOperator)
        effects.audience.append(.device(address, standing, endsSessions: endsSessions))
        return credentials
    }

    /// The token that an earlier copy of the request has made: a signature says the same each time.
    private func repeated(
        _ digest: [UInt8]?, _ device: DeviceState, _ facts: Snapshot, now: Timestamp
    ) throws -> DeviceCredentials? {
        guard let digest, let origin = try facts.tokenOrigin(of: device.address), origin.digest == digest,
            abs(now.milliseconds - origin.at.milliseconds) < Writer.repeatedWithin
        else { return nil }
        return try credentials(
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
    private func digest(of route: ReplyRoute, for address: DeviceAddress, days: Int?) throws -> [UInt8]? {
        guard route.correlationData != nil || route.requestID != nil else { return nil }
        let parts: [[UInt8]] = [
            Array("\(route.address) \(route.operation) \(address) \(days ?? 0)".utf8),
            route.correlationData ?? [], route.requestID?.json ?? [],
        ]
        var preimage: [UInt8] = []
        for part in parts {
            for shift in [24, 16, 8, 0] { preimage.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
            preimage += part
        }
        return try BLAKE2b.hash(preimage.span, length: .bytes16)
    }
}
