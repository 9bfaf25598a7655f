import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Accepting a device's keys")
struct PublishKeysRuleTests {
    private static func bytes(_ number: UInt8, _ count: Int = 32) -> [UInt8] {
        [UInt8](repeating: number, count: count)
    }

    private static func certificate(at time: Int64, _ number: UInt8 = 9) -> DeviceCertificate {
        DeviceCertificate(signature: bytes(number, 64), issuedAt: at(time))
    }

    private static func request(
        identity: UInt8 = 1, signing: UInt8? = 2, signature: UInt8? = 3, account: UInt8? = nil, issuedAt: Int64 = 0,
        reset: Bool = false
    ) -> PublishKeys {
        PublishKeys(
            identityKey: bytes(identity), signingKey: signing.map { bytes($0) },
            signature: signature.map { bytes($0, 64) },
            proof: account.map { AccountProof(accountKey: bytes($0), certificate: certificate(at: issuedAt)) },
            resetsAccount: reset)
    }

    private static func published(certifiedAt time: Int64? = nil) -> DeviceKeys {
        DeviceKeys(
            device: "phone", identityKey: bytes(1), signingKey: bytes(2), signature: bytes(3, 64),
            certificate: time.map { certificate(at: $0) }, createdAt: at(-500))
    }

    private func decide(
        _ request: PublishKeys, account: UInt8? = nil, _ published: DeviceKeys? = nil, now: Timestamp = at(0),
        fault: KeyFault? = nil
    ) throws(Rejection) -> PublishKeysRule.Decision {
        try PublishKeysRule.decide(
            request, by: "phone",
            facts: PublishKeysRule.Facts(
                fault: fault, accountKey: account.map { Self.bytes($0) }, published: published), now: now)
    }

    private func refusal(
        _ request: PublishKeys, account: UInt8? = nil, _ published: DeviceKeys? = nil
    ) -> ErrorCode? {
        rejection { try decide(request, account: account, published) }?.code
    }

    @Test("keys with a fault are refused before anything else is said of them", arguments: KeyFault.allCases)
    func faults(_ fault: KeyFault) {
        let refusal = rejection { try decide(Self.request(account: 8, issuedAt: 300_001), account: 7, fault: fault) }
        let field =
            switch fault {
            case .identityKey: "identity_key"
            case .signingKey: "signing_key"
            case .linkKey: "link_key"
            case .accountKey: "account_key"
            case .signature: "signature"
            case .certificate: "certificate"
            }
        #expect(refusal?.code == .badRequest && refusal?.message.hasPrefix("\(field): ") == true)
    }

    @Test("the first account key of a user is taken, and their own again")
    func firstAccountKey() throws {
        let first = try decide(Self.request(account: 7))
        #expect(first.account == .first(Self.bytes(7)) && first.isChange)
        #expect(first.keys.certificate == Self.certificate(at: 0) && first.keys.createdAt == at(0))
        let again = try decide(Self.request(account: 7), account: 7, first.keys, now: at(50))
        #expect(again.account == .none && !again.isChange && again.keys == first.keys)
        // Of another device of the user's.
        let other = try decide(Self.request(account: 7), account: 7)
        #expect(other.account == .none && other.isChange)
    }

    @Test("another account key is a conflict, unless it is to take the first one's place")
    func otherAccountKeyConflicts() throws {
        #expect(refusal(Self.request(account: 8), account: 7, Self.published(certifiedAt: -5)) == .conflict)
        let reset = try decide(Self.request(account: 8, reset: true), account: 7, Self.published(certifiedAt: -5))
        #expect(reset.account == .reset(Self.bytes(8)) && reset.isChange)
        // Said again, and said where there is nothing to take the place of, it does nothing more.
        let again = try decide(Self.request(account: 8, reset: true), account: 8, reset.keys)
        #expect(again.account == .none && !again.isChange)
        #expect(try decide(Self.request(account: 8, reset: true)).account == .first(Self.bytes(8)))
    }

    @Test("a certificate is never from before the one that the device has, whichever account's that is")
    func olderCertificateIsRefused() throws {
        let published = Self.published(certifiedAt: -5)
        for account: UInt8 in [7, 8] {
            let earlier = Self.request(account: account, issuedAt: -6, reset: true)
            #expect(refusal(earlier, account: 7, published) == .badRequest)
            for time: Int64 in [-5, -4] {
                let request = Self.request(account: account, issuedAt: time, reset: true)
                #expect(try decide(request, account: 7, published).keys.certificate == Self.certificate(at: time))
            }
        }
    }

    @Test("a certificate is from five minutes ahead at most", arguments: [(300_000, true), (300_001, false)])
    func ahead(time: Int64, isTaken: Bool) {
        #expect(refusal(Self.request(account: 7, issuedAt: time)) == (isTaken ? nil : .badRequest))
    }

    @Test("whoever publishes the same keys without an account key keeps the certificate")
    func sameKeysKeepCertificate() throws {
        let published = Self.published(certifiedAt: -5)
        let same = try decide(Self.request(), account: 7, published)
        #expect(!same.isChange && same.keys == published)
        let signed = try decide(Self.request(signature: nil), account: 7, published)
        #expect(signed.isChange && signed.keys.certificate == published.certificate && signed.keys.createdAt == at(0))
    }

    @Test(
        "whoever publishes another key without an account key loses the certificate",
        arguments: [request(identity: 4), request(signing: 4), request(signing: nil, signature: nil)])
    func uncertified(_ request: PublishKeys) throws {
        let decision = try decide(request, account: 7, Self.published(certifiedAt: -5))
        #expect(decision.keys.certificate == nil && decision.account == .none && decision.isChange)
    }

    @Test("a newer certificate over the same keys is news, and the keys are as old as they were")
    func newerCertificateIsNews() throws {
        let decision = try decide(Self.request(account: 7, issuedAt: -1), account: 7, Self.published(certifiedAt: -5))
        #expect(decision.isChange && decision.keys.createdAt == at(-500))
        #expect(decision.keys.certificate?.issuedAt == at(-1))
    }
}
