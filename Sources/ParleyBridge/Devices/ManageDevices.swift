import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension Writer {
    /// `keys/publish`
    func publish(
        _ keys: PublishKeys, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        try check(keys, of: route.address)
        let published = try transaction.facts.keys(of: route.address.user).first { $0.device == route.address.device }
        let isSame =
            published.map {
                $0.identityKey == keys.identityKey && $0.signingKey == keys.signingKey && $0.signature == keys.signature
            } ?? false
        if !isSame {
            try transaction.setKeys(keys, of: route.address, at: now)
            forget(route.address)
        }
        let stands = DeviceKeys(
            device: route.address.device, identityKey: keys.identityKey, signingKey: keys.signingKey,
            signature: keys.signature, createdAt: isSame ? published?.createdAt ?? now : now)
        effects.outgoing.accept(route) { stands.write(to: &$0) }
    }

    private func check(_ keys: PublishKeys, of address: DeviceAddress) throws {
        guard X25519.acceptsPublicKey(keys.identityKey.span) else {
            throw Rejection(.badRequest, "identity_key: of low order")
        }
        guard let signingKey = keys.signingKey else { return }
        let verifier = try Ed25519.PublicKey(bytes: signingKey)
        guard let signature = keys.signature else { return }
        let signed = DeviceKeys.signaturePreimage(address, identityKey: keys.identityKey)
        guard verifier.verifies(signature.span, of: signed.span) else {
            throw Rejection(.badRequest, "signature: not the signing key's over this identity key")
        }
    }

    /// `devices/revoke`
    func revoke(
        _ device: DeviceID, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let address = DeviceAddress(user: route.address.user, device: device)
        try end(address, transaction, &effects, now: now)
        let devices = try transaction.facts.devices(of: route.address.user)
        effects.outgoing.accept(route) { writer in
            writer.object { object in
                object.member("devices", array: devices) {
                    $1.write(to: &$0, isCurrent: $1.device == route.address.device)
                }
            }
        }
    }

    /// `admin/revoke-device`
    func revoke(
        _ address: DeviceAddress, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        try end(address, transaction, &effects, now: now)
        guard let user = try transaction.facts.userSummary(address.user) else { throw Rejection.userNotFound }
        effects.outgoing.accept(route) { user.write(to: &$0) }
    }

    /// Ends a device; one that has ended already stays so.
    private func end(
        _ address: DeviceAddress, _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws {
        guard try transaction.facts.device(address) != nil else {
            guard try transaction.facts.hasDevice(address) else { throw Rejection.deviceNotFound }
            return
        }
        try transaction.revokeDevice(address, at: now)
        forget(address)
        effects.audience.append(.deviceEnded(address))
        try effects.event(.user(address.user, .events), transaction) { writer in
            writer.event("device.revoked") { writer in
                writer.object {
                    $0.member("user_id", address.user)
                    $0.member("device_id", address.device)
                    $0.member("at", now)
                }
            }
        }
    }

    /// `devices/renew`: the old token signs in no more; sessions go on until the new one ends.
    func renew(
        _ device: DeviceID?, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let address = DeviceAddress(user: route.address.user, device: device ?? route.address.device)
        guard let current = try transaction.facts.device(address) else { throw Rejection.deviceNotFound }
        let credentials = try issue(
            address, isOperator: current.isOperator, days: nil, endsSessions: false, transaction, &effects, now: now)
        effects.outgoing.accept(route) { credentials.write(to: &$0) }
    }

    /// `admin/add-device`: makes a device, or its token anew, which ends the sessions of the old one.
    func add(
        _ device: AddDevice, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        guard let role = try transaction.facts.role(of: device.address.user) else { throw Rejection.userNotFound }
        let credentials = try issue(
            device.address, isOperator: role == .operator, days: device.lifetimeDays, endsSessions: true, transaction,
            &effects, now: now)
        effects.outgoing.accept(route) { credentials.write(to: &$0) }
    }

    /// Gives a device a new token, the only one that is accepted from then on.
    func issue(
        _ address: DeviceAddress, isOperator: Bool, days: Int?, endsSessions: Bool, _ transaction: WriteTransaction,
        _ effects: inout Effects, now: Timestamp
    ) throws -> DeviceCredentials {
        let lifetime = Int64(days ?? settings.tokenLifetimeDays) * 86_400_000
        // Whole seconds, which is all that a token can say.
        let expiresAt = Timestamp(milliseconds: now.advanced(byMilliseconds: lifetime).milliseconds / 1000 * 1000)
        let tokenID = TokenID.random()
        let claims = AccessToken.Claims(
            user: address.user, device: address.device, expiresAt: expiresAt.milliseconds / 1000, id: tokenID,
            role: isOperator ? .operator : .device)
        let password = try tokens.issue(claims)
        try transaction.putDevice(address, tokenID: tokenID.value, now: now, expiresAt: expiresAt)
        forget(address)
        let standing = DeviceStanding(
            token: tokenID, expiresAt: expiresAt.milliseconds / 1000, isOperator: isOperator)
        effects.audience.append(.device(address, standing, endsSessions: endsSessions))
        return DeviceCredentials(
            username: address.user.text, clientID: "\(address.user):\(address.device)", password: password,
            expiresAt: expiresAt)
    }

    /// `admin/add-user`
    func add(
        _ request: AddUser, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let facts = transaction.facts
        if let existing = try facts.userSummary(request.user) {
            guard try facts.hasMember(request.user), existing.displayName == request.displayName ?? existing.displayName
            else { throw Rejection(.conflict, "There is a user of this id already.") }
            effects.outgoing.accept(route) { existing.write(to: &$0) }
            return
        }
        let name = request.displayName ?? request.user.text
        try transaction.insertUser(request.user, role: .member, displayName: name, at: now)
        let user = UserSummary(user: request.user, displayName: name, createdAt: now, devices: [])
        effects.outgoing.accept(route) { user.write(to: &$0) }
    }
}
