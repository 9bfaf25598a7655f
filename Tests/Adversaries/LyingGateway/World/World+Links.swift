import ParleyCrypto
import ParleyProtocol

/// What a device has offered in order to be linked, and how it was approved.
struct OfferedLink: Sendable {
    let pending: PendingLink
    var approval: LinkApproval?
    /// How what the device offered before was approved.
    let former: LinkApproval?
}

// Linking, as it really is; what is told of it goes through the lies about it.

extension World {
    private static let offerLifetime: Int64 = 600_000

    mutating func offer(_ offer: LinkOffer, by device: DeviceAddress) -> Answer {
        let former = links[device]
        let pending = PendingLink(
            device: device.device, offer: offer, expiresAt: tick().advanced(byMilliseconds: World.offerLifetime))
        links[device] = OfferedLink(
            pending: pending, former: former.flatMap { $0.approval ?? $0.former })
        let event = Publication(pending.notice, to: device.user)
        return .accepted([event]) { pending.write(to: &$0) }
    }

    func link(of device: DeviceID, for user: UserID) throws(Rejection) -> Answer {
        let link = try openLink(DeviceAddress(user: user, device: device))
        if let lie = try falseOffer(link.pending) { return lie }
        return .accepted { link.pending.write(to: &$0) }
    }

    mutating func approve(_ approval: LinkApproval, by device: DeviceAddress) throws(Rejection) -> Answer {
        let address = DeviceAddress(user: device.user, device: approval.device)
        let account = published[device.user]?.accountKey.flatMap { AccountKey($0) }
        let offer = links[address]?.pending.offer
        // The attacker looks first.
        if (try? attacker.link.open(approval.sealed)) != nil { accountsTaken += 1 }
        let isOfOffer = offer.flatMap { offer in
            account?.hasCertified(
                address, identityKey: offer.identityKey, signingKey: offer.signingKey, approval.certificate)
        }
        if isOfOffer != true { falselyCertified += 1 }
        try refuseApproval()
        var link = try openLink(address)
        if let first = link.approval, first != approval { throw .approvedBefore }
        link.approval = approval
        links[address] = link
        let events = told(approval, of: link.pending.offer, former: link.former, by: address).map { told in
            Publication(told, to: device.user)
        }
        return .accepted(events) { writer in writer.object { _ in } }
    }

    private func openLink(_ address: DeviceAddress) throws(Rejection) -> OfferedLink {
        guard let link = links[address], now < link.pending.expiresAt else { throw .noOffer }
        return link
    }
}

extension Rejection {
    static let noOffer = Rejection(.notFound, "There is no such offer.")
    static let approvedBefore = Rejection(.conflict, "The offer was approved before.")
}
