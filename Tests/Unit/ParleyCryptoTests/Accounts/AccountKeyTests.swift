import ParleyCrypto
import ParleyProtocol
import Sodium
import Testing

@Suite("Account keys")
struct AccountKeyTests {
    let account: AccountSecret
    let phone: DeviceAddress
    let identityKey: [UInt8]
    let signingKey: [UInt8]
    let issuedAt = Timestamp(milliseconds: 1_768_469_400_000)

    init() throws {
        account = try AccountSecret(seed: SecretBytes(copying: [UInt8](0..<32).span))
        phone = try Party.alice().address
        identityKey = try Party.alice().key.bytes
        signingKey = [UInt8](repeating: 7, count: 32)
    }

    private func certificate() throws -> DeviceCertificate {
        try account.certify(phone, identityKey: identityKey, signingKey: signingKey, at: issuedAt)
    }

    @Test("what is certified is the fields of the contract, each with its length before it")
    func preimage() {
        let fields: [[UInt8]] = [
            Array("parley/v1 device".utf8), Array("alice".utf8), Array("phone".utf8), identityKey, signingKey,
            Array("1768469400000".utf8),
        ]
        let expected = fields.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 255)] + $0 }
        #expect(
            DeviceCertificate.preimage(phone, identityKey: identityKey, signingKey: signingKey, issuedAt: issuedAt)
                == expected)
    }

    @Test("a certificate is good for exactly what it was made of, and by that account alone")
    func certificates() throws {
        let certificate = try certificate()
        let key = account.publicKey
        func holds(
            _ address: DeviceAddress? = nil, identity: [UInt8]? = nil, signing: [UInt8]? = nil,
            with other: DeviceCertificate? = nil, by account: AccountKey? = nil
        ) -> Bool {
            (account ?? key).hasCertified(
                address ?? phone, identityKey: identity ?? identityKey, signingKey: signing ?? signingKey,
                other ?? certificate)
        }
        #expect(holds())
        #expect(!holds(try Party.bob().address))
        #expect(!holds(DeviceAddress(user: phone.user, device: try Party.carol().address.device)))
        #expect(!holds(identity: try Party.bob().key.bytes))
        #expect(!holds(signing: [UInt8](repeating: 8, count: 32)))
        let later = Timestamp(milliseconds: issuedAt.milliseconds + 1)
        #expect(!holds(with: DeviceCertificate(signature: certificate.signature, issuedAt: later)))
        #expect(!holds(by: try AccountSecret.generate().publicKey))
        for index in certificate.signature.indices {
            let signature = certificate.signature.flipping(index * 8)
            #expect(!holds(with: DeviceCertificate(signature: signature, issuedAt: issuedAt)))
        }
    }

    @Test("published keys are certified only with a certificate and the signing key that it is of")
    func published() throws {
        func keys(signing: [UInt8]?, _ certificate: DeviceCertificate?) -> DeviceKeys {
            DeviceKeys(
                device: phone.device, identityKey: identityKey, signingKey: signing, signature: nil,
                certificate: certificate, createdAt: issuedAt)
        }
        let certificate = try certificate()
        #expect(account.publicKey.hasCertified(keys(signing: signingKey, certificate), of: phone.user))
        #expect(!account.publicKey.hasCertified(keys(signing: nil, certificate), of: phone.user))
        #expect(!account.publicKey.hasCertified(keys(signing: signingKey, nil), of: phone.user))
        #expect(
            !account.publicKey.hasCertified(keys(signing: signingKey, certificate), of: try Party.bob().address.user))
    }

    @Test("a key is taken only if it is a point in canonical form, and not of low order")
    func points() {
        // RFC 8032, 7.1, TEST 1.
        let good: [UInt8] = [
            0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe, 0xd3, 0xc9, 0x64, 0x07, 0x3a, 0x0e, 0xe1,
            0x72, 0xf3, 0xda, 0xa6, 0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a,
        ]
        #expect(AccountKey(good) != nil)
        let neutral: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
        // The neutral element once more, as p + 1; and y = 0, of order four.
        let nonCanonical: [UInt8] = [0xee] + [UInt8](repeating: 0xff, count: 30) + [0x7f]
        let orderFour = [UInt8](repeating: 0, count: 32)
        for bytes in [
            neutral, nonCanonical, orderFour, [UInt8](repeating: 0xff, count: 32), Array(good.dropLast()), [],
        ] {
            #expect(AccountKey(bytes) == nil)
        }
    }
}
