import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Linking a device")
struct LinkRulesTests {
    private static func offer(_ number: UInt8 = 1) -> LinkOffer {
        let key = [UInt8](repeating: number, count: 32)
        return LinkOffer(identityKey: key, signingKey: key, linkKey: key)
    }

    private static let open = StoredLink(link: PendingLink(device: "tablet", offer: offer(), expiresAt: at(600_000)))
    private static let digest = [UInt8](repeating: 5, count: 16)

    private static func approval(issuedAt: Int64 = 0) -> LinkApproval {
        LinkApproval(
            device: "tablet",
            certificate: DeviceCertificate(signature: [UInt8](repeating: 6, count: 64), issuedAt: at(issuedAt)),
            sealed: [UInt8](repeating: 7, count: 80))
    }

    private func offer(
        _ offer: LinkOffer, existing: StoredLink? = nil, otherEnds: [Timestamp] = [], now: Timestamp = at(0),
        fault: KeyFault? = nil
    ) throws(Rejection) -> OfferLinkRule.Decision {
        try OfferLinkRule.decide(
            offer, by: "tablet",
            facts: OfferLinkRule.Facts(fault: fault, existing: existing, otherEnds: otherEnds), now: now)
    }

    private func approve(
        _ approval: LinkApproval = approval(), isCertified: Bool = true, _ kept: StoredLink? = open,
        isValid: Bool = true, lastIssuedAt: Timestamp? = nil
    ) throws(Rejection) -> ApproveLinkRule.Decision {
        try ApproveLinkRule.decide(
            approval,
            facts: ApproveLinkRule.Facts(
                isCallerCertified: isCertified, kept: kept, isCertificateValid: isValid, lastIssuedAt: lastIssuedAt,
                digest: Self.digest), now: at(0))
    }

    @Test("an offer is open for ten minutes, and said again it is the same one")
    func offerIsOpenTenMinutes() throws {
        #expect(try offer(Self.offer()) == .keep(Self.open.link))
        #expect(try offer(Self.offer(), existing: Self.open, now: at(5000)) == .repeated(Self.open.link))
        let approved = StoredLink(link: Self.open.link, approval: Self.digest)
        #expect(try offer(Self.offer(), existing: approved, now: at(5000)) == .repeated(Self.open.link))
        guard case .keep(let other) = try offer(Self.offer(2), existing: Self.open, now: at(5000)) else {
            Issue.record("a new offer was not kept")
            return
        }
        #expect(other.offer == Self.offer(2) && other.expiresAt == at(605_000))
    }

    @Test("an offer of a key that protects nothing is refused, however often it is said")
    func faultyOffer() {
        for existing in [nil, Self.open] {
            let refusal = rejection { try offer(Self.offer(), existing: existing, fault: .linkKey) }
            #expect(refusal?.code == .badRequest)
        }
    }

    @Test("sixteen devices of a user wait at most, and the next one hears how long")
    func sixteenDevicesWait() throws {
        let ends = (1...16).map { at($0 * 1000) }
        #expect(throws: Never.self) { try offer(Self.offer(), otherEnds: Array(ends.dropFirst())) }
        let refused = rejection { try offer(Self.offer(), otherEnds: ends) }
        #expect(refused?.code == .rateLimited && refused?.retryAfterMilliseconds == 1000)
        // A repeat is no further one.
        #expect(try offer(Self.offer(), existing: Self.open, otherEnds: ends) == .repeated(Self.open.link))
    }

    @Test("an offer is approved once, and the same approval is answered as before")
    func approvedOnce() throws {
        #expect(try approve() == .approve)
        #expect(try approve(StoredLink(link: Self.open.link, approval: Self.digest)) == .repeated)
        let other = StoredLink(link: Self.open.link, approval: [UInt8](repeating: 4, count: 16))
        #expect(rejection { try approve(other) }?.code == .conflict)
    }

    private func approve(_ kept: StoredLink) throws(Rejection) -> ApproveLinkRule.Decision {
        try approve(Self.approval(), kept)
    }

    @Test("what is wrong with an approval is told in its order")
    func orderOfApprovalFaults() {
        func code(_ body: () throws -> ApproveLinkRule.Decision) -> ErrorCode? { rejection(body)?.code }
        #expect(code { try approve(isCertified: false, nil, isValid: false) } == .forbidden)
        #expect(code { try approve(Self.approval(), nil, isValid: false) } == .notFound)
        #expect(code { try approve(isValid: false) } == .badRequest)
        #expect(code { try approve(Self.approval(issuedAt: 300_001)) } == .badRequest)
        #expect(code { try approve(lastIssuedAt: at(1)) } == .badRequest)
        #expect(code { try approve(lastIssuedAt: at(0)) } == nil)
    }
}
