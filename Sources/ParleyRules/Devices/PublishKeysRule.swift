import ParleyProtocol

/// Decides `keys/publish`: a device's keys and its user's account key afterwards (protocol §5, §6).
package enum PublishKeysRule {
    package struct Facts: Sendable {
        package let fault: KeyFault?
        /// The user's.
        package let accountKey: [UInt8]?
        /// The device's current keys.
        package let published: DeviceKeys?

        package init(fault: KeyFault?, accountKey: [UInt8]?, published: DeviceKeys?) {
            (self.fault, self.accountKey, self.published) = (fault, accountKey, published)
        }
    }

    /// A change of the user's account key.
    package enum AccountChange: Hashable, Sendable {
        case none
        /// The user's first.
        case first([UInt8])
        /// Replaces another: the user's other devices lose their certificates.
        case reset([UInt8])
    }

    package struct Decision: Hashable, Sendable {
        package let account: AccountChange
        package let keys: DeviceKeys
        /// Whether `keys/get` gives another reply than before.
        package let isChange: Bool
    }

    /// - Throws: `bad_request` for a fault and for the time of a certificate; `conflict` for another account key
    ///   without `reset_account`.
    package static func decide(
        _ request: PublishKeys, by device: DeviceID, facts: Facts, now: Timestamp
    ) throws(Rejection) -> Decision {
        if let fault = facts.fault { throw fault.rejection }
        let account = try account(request, facts, now: now)
        let hasSameKeys =
            facts.published.map { $0.identityKey == request.identityKey && $0.signingKey == request.signingKey }
            ?? false
        // A certificate covers both keys. The device keeps it as long as they are the same.
        let certificate = request.proof?.certificate ?? (hasSameKeys ? facts.published?.certificate : nil)
        let isSame = hasSameKeys && facts.published?.signature == request.signature
        let keys = DeviceKeys(
            device: device, identityKey: request.identityKey, signingKey: request.signingKey,
            signature: request.signature, certificate: certificate,
            createdAt: isSame ? facts.published?.createdAt ?? now : now)
        return Decision(account: account, keys: keys, isChange: account != .none || keys != facts.published)
    }

    private static func account(
        _ request: PublishKeys, _ facts: Facts, now: Timestamp
    ) throws(Rejection) -> AccountChange {
        guard let proof = request.proof else { return .none }
        try CertificateTimeRule.check(
            proof.certificate.issuedAt, after: facts.published?.certificate?.issuedAt, now: now)
        guard let accountKey = facts.accountKey else { return .first(proof.accountKey) }
        if accountKey == proof.accountKey { return .none }
        guard request.resetsAccount else {
            throw Rejection(.conflict, "The user has another account key.")
        }
        return .reset(proof.accountKey)
    }
}
