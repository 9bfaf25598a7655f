import ParleyCrypto
import ParleyProtocol

/// Lies while a device is linked, each about somebody's own devices: to the one that approves, which is to certify the
/// attacker's keys or to hand the account over, and to the new one, which is to take the attacker's account for its
/// user's.
package enum LinkLie: String, LieFamily {
    // What `links/get` answers.
    case offerOfAnotherIdentity, offerOfAnotherSigningKey, offerOfAnotherLinkKey, offerOfLowOrderLinkKey
    case offerOfAttacker, offerUnderAnotherName, offerTruncated, offerWithheld
    // What `links/approve` answers.
    case approvalCalledSecond, approvalCalledLate, approvalSwallowed
    // What `link.approved` says.
    case accountOfAttacker, seedOfAttacker, certificateOfAttacker, certificateOfAnotherDevice, certificateDated
    case certificateDamaged, certificateTruncated, sealDamaged, sealTruncated, sealForAnotherKey
    case approvalOfAnotherDevice, approvalOfFormerOffer, approvalUnasked, accountOfAttackerAfterwards
    // What `keys/publish` answers.
    case accountRefused
    // What `devices/list` and `keys/get` say.
    case ghostListedAsCertified

    package var sentence: String {
        switch self {
        case .offerOfAnotherIdentity: "links/get answers with another identity key than was offered"
        case .offerOfAnotherSigningKey: "links/get answers with another signing key than was offered"
        case .offerOfAnotherLinkKey: "links/get answers with another link key than was offered"
        case .offerOfLowOrderLinkKey: "links/get answers with a link key that protects nothing"
        case .offerOfAttacker: "links/get answers with mallory's keys"
        case .offerUnderAnotherName: "links/get answers with what was offered, under the name of another device"
        case .offerTruncated: "links/get answers with half a link key"
        case .offerWithheld: "links/get says that nothing was offered"
        case .approvalCalledSecond: "links/approve says that the offer was approved before"
        case .approvalCalledLate: "links/approve says that the offer is over"
        case .approvalSwallowed: "links/approve says that it is done, and the new device hears nothing"
        case .accountOfAttacker: "link.approved hands over mallory's account, with a certificate by it"
        case .seedOfAttacker: "link.approved hands over mallory's account, with the true certificate"
        case .certificateOfAttacker: "link.approved hands over the true account, with mallory's certificate"
        case .certificateOfAnotherDevice: "link.approved hands over the true account, with the phone's certificate"
        case .certificateDated: "link.approved has the true certificate, issued a millisecond later"
        case .certificateDamaged: "link.approved has the true certificate but for one bit"
        case .certificateTruncated: "link.approved has half a certificate"
        case .sealDamaged: "link.approved has the sealed account but for one bit"
        case .sealTruncated: "link.approved has the sealed account without its last byte"
        case .sealForAnotherKey: "link.approved has the true certificate, and mallory's account sealed for mallory"
        case .approvalOfAnotherDevice: "link.approved names another device than the one that was approved"
        case .approvalOfFormerOffer: "link.approved is the approval of what the device has offered before"
        case .approvalUnasked: "link.approved comes to a device that has offered nothing"
        case .accountOfAttackerAfterwards: "link.approved comes twice, the second time with mallory's account"
        case .accountRefused: "keys/publish says that the user has another account key"
        case .ghostListedAsCertified: "devices/list says that a device is certified which nobody has linked"
        }
    }

    package var moments: [Lie.Moment] { [.betweenSends] }
}

extension World {
    /// What `links/get` answers, if it lies.
    func falseOffer(_ honest: PendingLink) throws(Rejection) -> Answer? {
        var (device, offer) = (honest.device, honest.offer)
        let keys = attacker.identity.keys
        for lie in linkLies {
            switch lie {
            case .offerOfAnotherIdentity: offer = offer.with(identityKey: keys.identityKey)
            case .offerOfAnotherSigningKey: offer = offer.with(signingKey: keys.signingKey)
            case .offerOfAnotherLinkKey: offer = offer.with(linkKey: attacker.link.publicKey)
            case .offerOfLowOrderLinkKey: offer = offer.with(linkKey: [UInt8](repeating: 0, count: 32))
            case .offerOfAttacker:
                offer = LinkOffer(
                    identityKey: keys.identityKey, signingKey: keys.signingKey ?? [], linkKey: attacker.link.publicKey)
            case .offerUnderAnotherName: device = World.ghost
            case .offerTruncated: offer = offer.with(linkKey: Array(offer.linkKey.prefix(16)))
            case .offerWithheld: throw .noOffer
            case .approvalCalledSecond, .approvalCalledLate, .approvalSwallowed, .accountOfAttacker, .seedOfAttacker,
                .certificateOfAttacker, .certificateOfAnotherDevice, .certificateDated, .certificateDamaged,
                .certificateTruncated, .sealDamaged, .sealTruncated, .sealForAnotherKey, .approvalOfAnotherDevice,
                .approvalOfFormerOffer, .approvalUnasked, .accountOfAttackerAfterwards, .accountRefused,
                .ghostListedAsCertified:
                continue
            }
            let told = PendingLink(device: device, offer: offer, expiresAt: honest.expiresAt)
            return .accepted { told.write(to: &$0) }
        }
        return nil
    }

    /// What `links/approve` is refused with, if it lies.
    func refuseApproval() throws(Rejection) {
        if tells(.link(.approvalCalledSecond)) { throw .approvedBefore }
        if tells(.link(.approvalCalledLate)) { throw .noOffer }
    }

    /// What the new device is told instead of `honest`: of one lie at a time.
    ///
    /// - Parameter former: how what the device offered before was approved.
    func told(
        _ honest: LinkApproval, of offer: LinkOffer, former: LinkApproval?, by address: DeviceAddress
    ) -> [LinkApproval] {
        let (certificate, sealed) = (honest.certificate, honest.sealed)
        let own = (try? attacker.account.sealed(for: offer.linkKey)) ?? []
        let ownCertificate =
            (try? attacker.account.certify(
                address, identityKey: offer.identityKey, signingKey: offer.signingKey, at: certificate.issuedAt))
            ?? certificate
        var told = honest
        for lie in linkLies {
            switch lie {
            case .approvalSwallowed: return []
            case .accountOfAttacker: told = honest.with(ownCertificate, own)
            case .accountOfAttackerAfterwards: return [honest, honest.with(ownCertificate, own)]
            case .seedOfAttacker: told = honest.with(certificate, own)
            case .certificateOfAttacker: told = honest.with(ownCertificate, sealed)
            case .certificateOfAnotherDevice:
                let others = published[address.user]?.devices.filter { $0.device != address.device } ?? []
                told = honest.with(others.compactMap(\.certificate).first ?? ownCertificate, sealed)
            case .certificateDated:
                let later = certificate.issuedAt.advanced(byMilliseconds: 1)
                told = honest.with(DeviceCertificate(signature: certificate.signature, issuedAt: later), sealed)
            case .certificateDamaged: told = honest.with(certificate.with(certificate.signature.damaged), sealed)
            case .certificateTruncated:
                told = honest.with(certificate.with(Array(certificate.signature.prefix(32))), sealed)
            case .sealDamaged: told = honest.with(certificate, sealed.damaged)
            case .sealTruncated: told = honest.with(certificate, sealed.dropLast())
            case .sealForAnotherKey:
                told = honest.with(certificate, (try? attacker.account.sealed(for: attacker.link.publicKey)) ?? [])
            case .approvalOfAnotherDevice:
                told = LinkApproval(device: World.ghost, certificate: certificate, sealed: sealed)
            case .approvalOfFormerOffer: told = former ?? honest
            case .offerOfAnotherIdentity, .offerOfAnotherSigningKey, .offerOfAnotherLinkKey, .offerOfLowOrderLinkKey,
                .offerOfAttacker, .offerUnderAnotherName, .offerTruncated, .offerWithheld, .approvalCalledSecond,
                .approvalCalledLate, .approvalUnasked, .accountRefused, .ghostListedAsCertified:
                continue
            }
        }
        return [told]
    }

    /// What is published at once when the lie is told.
    func events(of lie: LinkLie, to device: DeviceAddress) -> [Publication] {
        guard lie == .approvalUnasked,
            let keys = published[device.user]?.devices.first(where: { $0.device == device.device }),
            let signingKey = keys.signingKey,
            let certificate = try? attacker.account.certify(
                device, identityKey: keys.identityKey, signingKey: signingKey, at: now),
            let sealed = try? attacker.account.sealed(for: keys.identityKey)
        else { return [] }
        let approval = LinkApproval(device: device.device, certificate: certificate, sealed: sealed)
        return [Publication(approval, to: device.user, .everybody)]
    }

    private var linkLies: [LinkLie] { LinkLie.allCases.filter { tells(.link($0)) } }

    static let ghost = DeviceID(validated: "ghost")
}

extension LinkOffer {
    fileprivate func with(
        identityKey: [UInt8]? = nil, signingKey: [UInt8]? = nil, linkKey: [UInt8]? = nil
    ) -> LinkOffer {
        LinkOffer(
            identityKey: identityKey ?? self.identityKey, signingKey: signingKey ?? self.signingKey,
            linkKey: linkKey ?? self.linkKey)
    }
}

extension LinkApproval {
    fileprivate func with(_ certificate: DeviceCertificate, _ sealed: [UInt8]) -> LinkApproval {
        LinkApproval(device: device, certificate: certificate, sealed: sealed)
    }
}

extension [UInt8] {
    /// The same but for one bit, in the middle.
    var damaged: [UInt8] {
        var bytes = self
        if !bytes.isEmpty { bytes[bytes.count / 2] ^= 1 }
        return bytes
    }
}
