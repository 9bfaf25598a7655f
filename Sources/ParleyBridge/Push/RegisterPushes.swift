import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore
import Sodium

extension RegisterPush: CommandHandler {
    struct Decision {
        let registration: PushRegistration
        /// A digest of the provider, its address of the device and the secret that shows whose that is; 16 bytes.
        let address: [UInt8]
        /// The same without the secret.
        let formerAddress: [UInt8]
    }

    func decide(in context: DecisionContext) throws -> Decision {
        try target.check(allowsPrivate: context.settings.pushAllowPrivateEndpoints)
        let address = try digest(with: target.ownershipSecret)
        return Decision(
            registration: PushRegistration(
                device: context.sender, number: try number(address, context), target: target,
                registeredAt: context.now),
            address: address, formerAddress: try digest(with: nil))
    }

    /// An endpoint without its secret has another digest, so that registering it takes it from nobody.
    func digest(with secret: [UInt8]?) throws -> [UInt8] {
        var preimage = Array(target.provider.rawValue.utf8) + [0] + Array(target.address.utf8)
        if let secret { preimage += [0] + secret }
        return try BLAKE2b.hash(preimage.span, length: .bytes16)
    }

    /// The registration's number, another for each device, address and time.
    private func number(_ address: [UInt8], _ context: DecisionContext) throws -> Int64 {
        var preimage = ByteWriter(capacity: 192)
        preimage.field(context.sender.user.text.utf8)
        preimage.field(context.sender.device.text.utf8)
        preimage.field(address)
        preimage.field(String(context.now.milliseconds).utf8)
        let digest = try BLAKE2b.hash(preimage.bytes.span, length: .bytes16)
        return digest.prefix(8).reduce(0) { $0 << 8 | Int64($1) } & .max
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let losers = try context.transaction.pushRegistrations.put(
            decision.registration, address: decision.address, formerAddress: decision.formerAddress)
        for loser in losers {
            try context.publish(
                PushEnd(device: loser, provider: .known(target.provider), reason: .known(.taken), at: context.now))
        }
        context.afterCommit.push.hasRegistration = true
        context.afterCommit.push.hasEvent = true
        context.accept { PushRegistered(registeredAt: decision.registration.registeredAt).write(to: &$0) }
    }
}

extension UnregisterPush: CommandHandler {
    func decide(in context: DecisionContext) throws {}

    func apply(_ decision: Void, in context: ApplyContext) throws(StoreError) {
        try context.transaction.pushRegistrations.remove(context.sender, at: context.now)
        context.afterCommit.push.hasEvent = true
        context.accept { PushRegistered(registeredAt: nil).write(to: &$0) }
    }
}
