import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension Writer {
    /// `links/offer`
    func offer(
        _ offer: LinkOffer, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        try offer.checkPoints()
        let (address, facts) = (route.address, transaction.facts)
        let decision = try OfferLink.decide(
            offer, by: address.device,
            facts: OfferLink.Facts(
                existing: try facts.link(of: address, now: now),
                otherEnds: try facts.linkEnds(of: address.user, besides: address.device, now: now)), now: now)
        let link: PendingLink
        switch decision {
        case .repeated(let first): link = first
        case .keep(let kept):
            link = kept
            try transaction.put(kept, of: address.user, now: now)
            try effects.event(.user(address.user, .events), transaction) { kept.writeEvent(to: &$0) }
        }
        effects.outgoing.accept(route) { link.write(to: &$0) }
    }

    /// `links/approve`
    func approve(
        _ approval: LinkApproval, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let (user, facts) = (route.address.user, transaction.facts)
        let device = DeviceAddress(user: user, device: approval.device)
        let kept = try facts.link(of: device, now: now)
        let preimage = approval.identityPreimage(sender: route.address)
        let digest = try BLAKE2b.hash(preimage.span, length: .bytes16)
        var isCertificateValid = false
        if let accountKey = try facts.accountKey(of: user), let offer = kept?.link.offer {
            isCertificateValid = try approval.certificate.isValid(
                by: accountKey, of: device, identityKey: offer.identityKey, signingKey: offer.signingKey)
        }
        let decision = try ApproveLink.decide(
            approval,
            facts: ApproveLink.Facts(
                // The database has no certificate by another account key than the user's.
                isCallerCertified: try facts.keys(of: route.address)?.certificate != nil, kept: kept,
                isCertificateValid: isCertificateValid,
                lastIssuedAt: try facts.keys(of: device)?.certificate?.issuedAt, digest: digest), now: now)
        switch decision {
        case .repeated: break
        case .approve:
            try transaction.setApproval(digest, of: device)
            try effects.event(.user(user, .events), transaction) { approval.writeEvent(to: &$0) }
        }
        effects.outgoing.accept(route) { writer in writer.object { _ in } }
    }
}

extension Reader {
    /// `links/get`: of the caller's own user alone.
    func link(of device: DeviceID, for caller: UserID, _ snapshot: Snapshot, now: Timestamp) throws -> PendingLink {
        guard let kept = try snapshot.link(of: DeviceAddress(user: caller, device: device), now: now) else {
            throw Rejection.linkNotFound
        }
        return kept.link
    }
}

extension LinkOffer {
    /// - Throws: `bad_request` for a key that protects nothing.
    fileprivate func checkPoints() throws(Rejection) {
        guard X25519.acceptsPublicKey(identityKey.span) else { throw .keyRefused("identity_key") }
        guard Ed25519.acceptsPublicKey(signingKey.span) else { throw .keyRefused("signing_key") }
        guard X25519.acceptsPublicKey(linkKey.span) else { throw .keyRefused("link_key") }
    }
}

extension LinkOffer: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.offer(self, context.route, context.transaction, &effects, now: context.now)
    }
}

extension LinkApproval: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.approve(self, context.route, context.transaction, &effects, now: context.now)
    }
}

extension GetLink: QueryHandler {
    func answer(in context: QueryContext, _ outgoing: inout Outgoing) throws {
        let link = try context.reader.link(
            of: device, for: context.caller.user, context.snapshot, now: context.now)
        outgoing.accept(context.route) { link.write(to: &$0) }
    }
}
