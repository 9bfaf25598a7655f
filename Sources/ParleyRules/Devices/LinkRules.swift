import ParleyProtocol

/// A device's offer to be linked, until it expires.
package struct StoredLink: Hashable, Sendable {
    package let link: PendingLink
    /// The digest of the approving request, 16 bytes.
    package let approval: [UInt8]?

    package init(link: PendingLink, approval: [UInt8]? = nil) { (self.link, self.approval) = (link, approval) }
}

/// Decides `links/offer` (protocol §6, "Linking").
package enum OfferLinkRule {
    /// Open offers of a user's devices.
    package static let mostOpen = 16
    /// How long an offer is open.
    package static let lifetime = Duration.seconds(600)

    package struct Facts: Sendable {
        package let fault: KeyFault?
        /// The device's open offer.
        package let existing: StoredLink?
        /// The expiries of the open offers of the user's other devices, in order.
        package let otherEnds: [Timestamp]

        package init(fault: KeyFault?, existing: StoredLink?, otherEnds: [Timestamp]) {
            (self.fault, self.existing, self.otherEnds) = (fault, existing, otherEnds)
        }
    }

    package enum Decision: Hashable, Sendable {
        /// Replaces the device's offer.
        case keep(PendingLink)
        /// Changes nothing; the reply is the first one.
        case repeated(PendingLink)
    }

    /// - Throws: `bad_request` for a fault; `rate_limited` with too many open offers.
    package static func decide(
        _ offer: LinkOffer, by device: DeviceID, facts: Facts, now: Timestamp
    ) throws(Rejection) -> Decision {
        if let fault = facts.fault { throw fault.rejection }
        if let existing = facts.existing, existing.link.offer == offer { return .repeated(existing.link) }
        if facts.otherEnds.count >= mostOpen, let end = facts.otherEnds.first {
            throw Rejection(
                .rateLimited, "Too many devices of this user wait to be linked.",
                retryAfterMilliseconds: Int(max(1, end.milliseconds - now.milliseconds)))
        }
        return .keep(PendingLink(device: device, offer: offer, expiresAt: now.advanced(by: lifetime)))
    }
}

/// Decides `links/approve` (protocol §6, "Linking"). The new device then publishes its keys itself.
package enum ApproveLinkRule {
    package struct Facts: Sendable {
        /// Whether the user's account key has certified the caller.
        package let isCallerCertified: Bool
        /// The open offer of the device to link.
        package let kept: StoredLink?
        /// Whether the user's account key has signed the certificate over the offer.
        package let isCertificateValid: Bool
        /// Of the device's current certificate.
        package let lastIssuedAt: Timestamp?
        /// The digest of the request, 16 bytes.
        package let digest: [UInt8]

        package init(
            isCallerCertified: Bool, kept: StoredLink?, isCertificateValid: Bool, lastIssuedAt: Timestamp?,
            digest: [UInt8]
        ) {
            self.isCallerCertified = isCallerCertified
            self.kept = kept
            self.isCertificateValid = isCertificateValid
            self.lastIssuedAt = lastIssuedAt
            self.digest = digest
        }
    }

    package enum Decision: Hashable, Sendable {
        case approve
        /// Changes nothing; the reply is the first one.
        case repeated
    }

    /// - Throws: in this order: `forbidden`, `not_found`, `conflict`, `bad_request`.
    package static func decide(
        _ approval: LinkApproval, facts: Facts, now: Timestamp
    ) throws(Rejection) -> Decision {
        guard facts.isCallerCertified else {
            throw Rejection(.forbidden, "Only a device that the user's account key has certified may link another.")
        }
        guard let kept = facts.kept else { throw .linkNotFound }
        if let first = kept.approval {
            guard first == facts.digest else {
                throw Rejection(.conflict, "This offer was approved before.")
            }
            return .repeated
        }
        guard facts.isCertificateValid else {
            throw Rejection(.badRequest, "certificate: not the user's account key's over what the device has offered")
        }
        try CertificateTimeRule.check(approval.certificate.issuedAt, after: facts.lastIssuedAt, now: now)
        return .approve
    }
}

extension Rejection {
    /// The same for a device without an offer and with an expired one.
    package static let linkNotFound = Rejection(.notFound, "There is no such device that waits to be linked.")
}
