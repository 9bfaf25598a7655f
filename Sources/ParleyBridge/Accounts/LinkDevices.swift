import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension LinkOffer: CommandHandler {
    func decide(in context: DecisionContext) throws -> OfferLinkRule.Decision {
        let (address, facts) = (context.sender, try context.facts)
        return try OfferLinkRule.decide(
            self, by: address.device,
            facts: OfferLinkRule.Facts(
                fault: fault,
                existing: try facts.links.link(of: address, now: context.now),
                otherEnds: try facts.links.ends(of: address.user, besides: address.device, now: context.now)),
            now: context.now)
    }

    func apply(_ decision: OfferLinkRule.Decision, in context: ApplyContext) throws(StoreError) {
        let link: PendingLink
        switch decision {
        case .repeated(let first): link = first
        case .keep(let kept):
            link = kept
            let user = context.sender.user
            try context.transaction.links.save(kept, of: user, now: context.now)
            try context.publish(kept.notice, to: user)
        }
        context.accept { link.write(to: &$0) }
    }
}

extension LinkOffer {
    /// The first unsafe key.
    fileprivate var fault: KeyFault? {
        guard X25519.acceptsPublicKey(identityKey.span) else { return .identityKey }
        guard Ed25519.acceptsPublicKey(signingKey.span) else { return .signingKey }
        return X25519.acceptsPublicKey(linkKey.span) ? nil : .linkKey
    }
}

extension LinkApproval: CommandHandler {
    struct Decision {
        /// The digest of the request, 16 bytes.
        let digest: [UInt8]
        let acceptance: ApproveLinkRule.Decision
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let (user, facts) = (context.sender.user, try context.facts)
        let address = DeviceAddress(user: user, device: device)
        let kept = try facts.links.link(of: address, now: context.now)
        let digest = try context.digest(of: self)
        var isCertificateValid = false
        if let accountKey = try facts.accounts.key(of: user), let offer = kept?.link.offer {
            isCertificateValid = try certificate.isValid(
                by: accountKey, of: address, identityKey: offer.identityKey, signingKey: offer.signingKey)
        }
        let acceptance = try ApproveLinkRule.decide(
            self,
            facts: ApproveLinkRule.Facts(
                // All certificates in the database are by the user's account key.
                isCallerCertified: try facts.devices.keys(of: context.sender)?.certificate != nil, kept: kept,
                isCertificateValid: isCertificateValid,
                lastIssuedAt: try facts.devices.keys(of: address)?.certificate?.issuedAt, digest: digest),
            now: context.now)
        return Decision(digest: digest, acceptance: acceptance)
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let user = context.sender.user
        switch decision.acceptance {
        case .repeated: break
        case .approve:
            try context.transaction.links.setApproval(
                decision.digest, of: DeviceAddress(user: user, device: device))
            try context.publish(self, to: user)
        }
        context.accept { writer in writer.object { _ in } }
    }
}

extension GetLink: QueryHandler {
    /// Of the caller's own user alone.
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let address = DeviceAddress(user: context.caller.user, device: device)
        guard let kept = try context.snapshot.links.link(of: address, now: context.now) else {
            throw Rejection.linkNotFound
        }
        return kept.link.write
    }
}
