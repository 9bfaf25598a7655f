import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

// A new token ends the old one, so that a repeat must not make another: the device would use the token of the first
// reply, which the second has ended. The same request, known by its correlation data or `request_id`, gets the same
// token again within a minute; and until the first sign-in with a renewed token, every renewal gets that one.

/// The token that a device is answered with.
enum TokenDecision {
    /// An earlier copy of the request has made it.
    case repeated(DeviceCredentials)
    /// A renewal has made it, and it was not used yet. Another one would lock out a device that has kept the first
    /// reply and loses the second.
    case pending(DeviceCredentials, TokenOrigin?)
    case issue(TokenIssue)
}

/// A token to be issued.
struct TokenIssue {
    enum Making {
        /// The old token signs in until the first use of the new one, a day at most.
        case renewal
        /// Older tokens and their sessions end. By an operator's device, or by the gateway itself.
        case anew(by: DeviceAddress?)
    }

    let credentials: DeviceCredentials
    let address: DeviceAddress
    fileprivate let token: TokenID
    fileprivate let making: Making
    /// The digest of the request for it, if there was one.
    fileprivate let request: [UInt8]?
    /// The device before; `nil` where it is made now.
    fileprivate let former: DeviceState?

    /// - Parameter days: how long it signs in; `nil` for the time in the settings.
    init(
        to address: DeviceAddress, role: DeviceRole, days: Int?, _ making: Making, request: [UInt8]? = nil,
        in context: DecisionContext
    ) throws {
        let lifetime = Duration.days(days ?? context.settings.tokenLifetimeDays)
        // A token holds whole seconds.
        let end = context.now.advanced(by: lifetime).milliseconds / 1000 * 1000
        token = TokenID.random()
        credentials = try context.tokens.credentials(
            address, token, expiresAt: Timestamp(milliseconds: end), role: role)
        former = try context.facts.devices.device(address)
        self.address = address
        self.making = making
        self.request = request
    }
}

extension DecisionContext {
    /// The token that an earlier copy of the request has made: signing it again makes the same signature.
    fileprivate func repeated(_ digest: [UInt8]?, _ device: DeviceState) throws -> TokenDecision? {
        guard let digest, let origin = try facts.tokens.origin(of: device.address), origin.digest == digest,
            DeviceTokenRule.isRepeat(at: now, of: origin.at)
        else { return nil }
        return .repeated(try tokens.credentials(of: device))
    }

    /// The token of a renewal that was not used yet.
    fileprivate func pending(_ digest: [UInt8]?, _ device: DeviceState) throws -> TokenDecision? {
        guard let previous = device.previousToken, now < previous.endsAt else { return nil }
        return .pending(try tokens.credentials(of: device), digest.map { TokenOrigin(digest: $0, at: now) })
    }
}

extension ReplyRoute {
    /// The identity of a request for a token: its sender, content and name. `nil` without a name: then each is a new
    /// request.
    fileprivate func digest(for address: DeviceAddress, days: Int?, name: String?) throws -> [UInt8]? {
        guard correlationData != nil || requestID != nil else { return nil }
        var preimage = ByteWriter()
        preimage.field("\(self.address) \(operation) \(address) \(days ?? 0)".utf8)
        preimage.field(correlationData ?? [])
        preimage.field(requestID?.json ?? [])
        preimage.field((name ?? "").utf8)
        return try BLAKE2b.hash(preimage.bytes.span, length: .bytes16)
    }
}

extension ApplyContext {
    /// Answers with a token, and stores it where it is a new one.
    fileprivate func carryOut(_ decision: TokenDecision, of address: DeviceAddress) throws(StoreError) {
        let credentials: DeviceCredentials
        switch decision {
        case .repeated(let kept): credentials = kept
        case .pending(let kept, let origin):
            try transaction.tokens.setOrigin(origin, of: address)
            credentials = kept
        case .issue(let issue):
            try self.issue(issue)
            credentials = issue.credentials
        }
        accept(isSecret: true) { credentials.write(to: &$0) }
    }

    /// Gives a device a new token, or makes the device, and publishes that to its user.
    func issue(_ issue: TokenIssue) throws(StoreError) {
        let (address, expiresAt) = (issue.address, issue.credentials.expiresAt)
        switch (issue.making, issue.former) {
        case (.renewal, let former?):
            let end = DeviceTokenRule.previousEnd(old: former.expiresAt, new: expiresAt, now: now)
            try transaction.tokens.renew(
                of: address, to: issue.token.value, expiresAt: expiresAt,
                previous: RenewedToken(tokenID: former.tokenID, endsAt: end), request: issue.request, now: now)
        case (.renewal, nil):
            try transaction.devices.put(
                address, tokenID: issue.token.value, now: now, expiresAt: expiresAt, request: issue.request)
        case (.anew(let maker), _):
            try transaction.devices.put(
                address, tokenID: issue.token.value, now: now, expiresAt: expiresAt, request: issue.request,
                maker: maker)
        }
        try announceStatus(of: address)
        if issue.former != nil {
            try publish(DeviceRenewal(device: address, expiresAt: expiresAt, at: now))
        } else {
            try publish(DeviceAddition(device: address, at: now))
        }
    }

}

extension Batch {
    /// Publishes a device's status to the broker's plugin.
    func announceStatus(of address: DeviceAddress) throws(StoreError) {
        drop(address)
        guard let device = try device(address) else { return }
        effects.audience.append(.device(address, device.status))
    }
}

extension TokenIssuer {
    /// A device's credentials once more: signing makes the same signature again.
    func credentials(of device: DeviceState) throws(SodiumError) -> DeviceCredentials {
        try credentials(
            device.address, TokenID(device.tokenID), expiresAt: device.expiresAt, role: device.role)
    }

    fileprivate func credentials(
        _ address: DeviceAddress, _ tokenID: TokenID, expiresAt: Timestamp, role: DeviceRole
    ) throws(SodiumError) -> DeviceCredentials {
        let claims = AccessToken.Claims(
            user: address.user, device: address.device, expiresAt: expiresAt.milliseconds / 1000, id: tokenID,
            role: role.tokenRole)
        return DeviceCredentials(
            username: address.user.text, clientID: "\(address.user):\(address.device)",
            password: try issue(claims), expiresAt: expiresAt)
    }
}

extension DeviceState {
    /// Its status for the broker's plugin.
    var status: DeviceStatus {
        DeviceStatus(
            token: TokenID(tokenID), expiresAt: expiresAt.milliseconds / 1000, role: role,
            previous: previousToken.map {
                PreviousToken(token: TokenID($0.tokenID), endsAt: $0.endsAt.milliseconds / 1000)
            }, nameReusedAt: nameReusedAt?.milliseconds)
    }
}

extension RenewDevice: CommandHandler {
    /// Of the calling device alone.
    func decide(in context: DecisionContext) throws -> TokenDecision {
        let address = context.sender
        try DeviceTokenRule.checkRenewal(of: device, by: address.device)
        guard let current = try context.facts.devices.device(address) else { throw Rejection.deviceNotFound }
        let digest = try context.route.digest(for: address, days: nil, name: nil)
        return try context.repeated(digest, current) ?? context.pending(digest, current)
            ?? .issue(
                TokenIssue(
                    to: address, role: current.role, days: nil, .renewal, request: digest, in: context))
    }

    func apply(_ decision: TokenDecision, in context: ApplyContext) throws(StoreError) {
        try context.carryOut(decision, of: context.sender)
    }
}

extension DecisionContext {
    /// The role of the devices of a user for whom an operator has a token made.
    ///
    /// - Throws: `not_found`; `forbidden` for a disabled user.
    fileprivate func roleOfDevices(of user: UserID) throws -> DeviceRole {
        guard let role = try facts.users.role(of: user)?.deviceRole else { throw Rejection.userNotFound }
        try ManageUserRule.checkEnabled(facts.userDetails.standing(of: user), user)
        return role
    }
}

extension AddDevice: CommandHandler {
    func decide(in context: DecisionContext) throws -> TokenDecision {
        let role = try context.roleOfDevices(of: address.user)
        let digest = try context.route.digest(for: address, days: lifetimeDays, name: name)
        let device = try context.facts.devices.device(address)
        if let device, let repeated = try context.repeated(digest, device) { return repeated }
        if isNew { try DeviceTokenRule.checkAddition(of: address, isLive: device != nil) }
        return .issue(
            try TokenIssue(
                to: address, role: role, days: lifetimeDays, .anew(by: context.sender), request: digest, in: context))
    }

    func apply(_ decision: TokenDecision, in context: ApplyContext) throws(StoreError) {
        try context.carryOut(decision, of: address)
        if let name { try context.transaction.devices.setName(name, of: address) }
    }
}

extension RenewUserDevice: CommandHandler {
    func decide(in context: DecisionContext) throws -> TokenDecision {
        let role = try context.roleOfDevices(of: address.user)
        let digest = try context.route.digest(for: address, days: lifetimeDays, name: nil)
        let device = try context.facts.devices.device(address)
        try DeviceTokenRule.checkAnew(isLive: device != nil)
        if let device, let repeated = try context.repeated(digest, device) { return repeated }
        return .issue(
            try TokenIssue(
                to: address, role: role, days: lifetimeDays, .anew(by: context.sender), request: digest, in: context))
    }

    func apply(_ decision: TokenDecision, in context: ApplyContext) throws(StoreError) {
        try context.carryOut(decision, of: address)
    }
}
