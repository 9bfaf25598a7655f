import ParleyProtocol
import ParleyStore
import Sodium
import TestNames
import Testing

@testable import ParleyBridge

/// `keys/publish` with account keys, and what `keys/get` says then.
@Suite("Publishing keys")
struct PublishKeysTests {
    private let test: TestWriter
    private let account: TestAccount
    private let keys: TestKeys
    private let phone = device("alice", "phone")
    private let laptop = device("alice", "laptop")

    init() throws {
        test = try TestWriter()
        account = try TestAccount(1)
        keys = try TestKeys(2)
    }

    private func code(_ incoming: IncomingCommand, now: Timestamp = at(0)) throws -> String? {
        try test.carryOut([incoming], now: now).effects.outgoing.replies.first?.code
    }

    private func userKeys(_ user: UserID = "alice") throws -> UserKeys {
        try test.store.read { try $0.accounts.userKeys(of: user) }
    }

    private func certified(_ user: UserID = "alice") throws -> [DeviceID] {
        try userKeys(user).devices.filter { $0.certificate != nil }.map(\.device)
    }

    @Test("a certificate is kept with the first account key, and handed out as it came")
    func certificateIsHandedOut() throws {
        let outcome = test.carryOut([try publish(keys, by: account, from: phone)])
        let reply = try #require(try outcome.effects.outgoing.replies.first)
        let stands = try userKeys()
        #expect(stands.accountKey == account.key)
        #expect(stands.devices.first?.certificate == (try account.certificate(of: keys, phone)))
        let expected = JSONWriter.reply { stands.write(to: &$0) }
        #expect(reply.payload == expected)
        let reader = try test.reader(Settings())
        let fetched = try reader.answer(
            try request(GetKeys(user: "alice"), from: device("bob", "phone")), now: at(0)
        ).published.first
        #expect(fetched?.payload == expected)
    }

    /// What is wrong with a certificate.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case otherUser, otherDevice, otherIdentityKey, otherSigningKey, otherTime, otherAccount, byTheDeviceItself
        case flippedBit, zeros
        var testDescription: String { rawValue }
    }

    @Test("a certificate that is not the account key's over exactly this device is refused", arguments: Fault.allCases)
    func faults(_ fault: Fault) throws {
        let (other, good) = (try TestKeys(3), try account.certificate(of: keys, phone))
        var flipped = good.signature
        flipped[40] ^= 1
        let certificate =
            switch fault {
            case .otherUser: try account.certificate(of: keys, device("bob", "phone"))
            case .otherDevice: try account.certificate(of: keys, laptop)
            case .otherIdentityKey:
                try account.certificate(of: TestKeys(identity: other, signing: keys), phone)
            case .otherSigningKey: try account.certificate(of: TestKeys(identity: keys, signing: other), phone)
            case .otherTime: DeviceCertificate(signature: good.signature, issuedAt: at(1))
            case .otherAccount: try TestAccount(9).certificate(of: keys, phone)
            // The key that `TestKeys(2)` signs with.
            case .byTheDeviceItself: try TestAccount(2 ^ 0x80).certificate(of: keys, phone)
            case .flippedBit: DeviceCertificate(signature: flipped, issuedAt: good.issuedAt)
            case .zeros: DeviceCertificate(signature: [UInt8](repeating: 0, count: 64), issuedAt: good.issuedAt)
            }
        let faulty = PublishKeys(
            identityKey: keys.identityKey, signingKey: keys.signingKey,
            proof: AccountProof(accountKey: account.key, certificate: certificate))
        #expect(try code(request(faulty, from: phone)) == "bad_request")
        #expect(try userKeys() == UserKeys(user: "alice", devices: []))
        #expect(try code(publish(keys, by: account, from: phone)) == nil)
    }

    /// The neutral element; it once more as p + 1; y = 0, of order four; no point at all.
    private static let badPoints: [[UInt8]] = [
        [1] + [UInt8](repeating: 0, count: 31), [0xee] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
        [UInt8](repeating: 0, count: 32), [2] + [UInt8](repeating: 0, count: 31), [UInt8](repeating: 0xff, count: 32),
    ]

    @Test("an account key or signing key that is no good point is refused", arguments: badPoints)
    func points(_ point: [UInt8]) throws {
        // A signature of zeros would hold under a key of low order: R is the neutral element, S is 0.
        let neutral: [UInt8] = [1] + [UInt8](repeating: 0, count: 63)
        for signature in [neutral, [UInt8](repeating: 0, count: 64)] {
            let certificate = DeviceCertificate(signature: signature, issuedAt: at(0))
            let faulty = PublishKeys(
                identityKey: keys.identityKey, signingKey: keys.signingKey,
                proof: AccountProof(accountKey: point, certificate: certificate))
            let refused = test.carryOut([try request(faulty, from: phone)]).effects.outgoing
            let reply = try #require(try refused.replies.first)
            #expect(reply.code == "bad_request")
            #expect(String(decoding: reply.payload, as: UTF8.self).contains("account_key:"))
        }
        let signing = PublishKeys(identityKey: keys.identityKey, signingKey: point)
        #expect(try code(request(signing, from: phone)) == "bad_request")
        let identity = PublishKeys(identityKey: [UInt8](repeating: 0, count: 32), signingKey: keys.signingKey)
        #expect(try code(request(identity, from: phone)) == "bad_request")
    }

    @Test("a certificate from before the last one, or from too far ahead, is refused and changes nothing")
    func badTimesAreRefused() throws {
        #expect(try code(publish(keys, by: account, from: phone, issuedAt: at(10))) == nil)
        let stands = try userKeys()
        #expect(try code(publish(keys, by: account, from: phone, issuedAt: at(9))) == "bad_request")
        #expect(try code(publish(TestKeys(3), by: account, from: phone, issuedAt: at(300_001))) == "bad_request")
        #expect(try userKeys() == stands)
        #expect(try code(publish(TestKeys(3), by: account, from: phone, issuedAt: at(300_000))) == nil)
    }

    @Test("another account key is a conflict; with a reset the other devices are certified no more")
    func resetEndsCertificates() throws {
        let (other, tablet) = (try TestAccount(5), try TestKeys(6))
        for incoming in [
            try publish(keys, by: account, from: phone), try publish(tablet, by: account, from: laptop),
            try publish(keys, by: account, from: device("bob", "phone")),
        ] { #expect(try code(incoming) == nil) }
        #expect(try code(publish(keys, by: other, from: phone)) == "conflict")
        #expect(try certified() == ["laptop", "phone"] && userKeys().accountKey == account.key)
        #expect(try code(publish(keys, by: other, from: phone, issuedAt: at(1), reset: true)) == nil)
        #expect(try certified() == ["phone"] && userKeys().accountKey == other.key)
        // Their keys are there as before; and nobody else's user is touched.
        #expect(try userKeys().devices.map(\.identityKey) == [tablet.identityKey, keys.identityKey])
        #expect(try certified("bob") == ["phone"])
        // The first account key is another one now.
        #expect(try code(publish(tablet, by: account, from: laptop, issuedAt: at(2))) == "conflict")
        #expect(try code(publish(tablet, by: other, from: laptop, issuedAt: at(2))) == nil)
        #expect(try code(publish(keys, by: other, from: phone, issuedAt: at(1), reset: true)) == nil)
        #expect(try certified() == ["laptop", "phone"])
    }

    @Test("of two devices that make an account at once, the first has it")
    func firstDeviceHasTheAccount() throws {
        let outcome = test.carryOut([
            try publish(keys, by: account, from: phone), try publish(TestKeys(3), by: TestAccount(5), from: laptop),
        ])
        #expect(try outcome.effects.outgoing.replies.map(\.code) == [nil, "conflict"])
        #expect(try userKeys().accountKey == account.key && userKeys().devices.map(\.device) == ["phone"])
    }

    @Test("an app that knows no account keys keeps the certificate of the same keys, and of no others")
    func unawareAppKeepsCertificate() throws {
        #expect(try code(publish(keys, by: account, from: phone)) == nil)
        #expect(try code(publish(keys, from: phone)) == nil)
        #expect(try certified() == ["phone"])
        #expect(try code(publish(TestKeys(3), from: phone)) == nil)
        #expect(try certified() == [] && userKeys().accountKey == account.key)
        #expect(try code(publish(keys, from: phone)) == nil)
        #expect(try certified() == [])
    }

    @Test("a revoked device takes its certificate with it, and its name brings none back")
    func revocationTakesCertificate() throws {
        #expect(try code(publish(keys, by: account, from: phone)) == nil)
        let revoke = try request(RevokeDevice(device: "phone"), from: phone)
        #expect(try code(revoke) == nil)
        let add = try request(
            AddDevice.self, #"{"user_id":"alice","device_id":"phone"}"#, from: device("operator", "console"))
        #expect(try code(add) == nil)
        #expect(try code(publish(keys, from: phone)) == nil)
        #expect(try certified() == [])
        let listed = try test.store.read { try $0.devices.summaries(of: "alice") }
        #expect(listed.map(\.isCertified) == [false, false])
        #expect(try code(publish(keys, by: account, from: phone)) == nil)
        #expect(try test.store.read { try $0.devices.summaries(of: "alice") }.map(\.isCertified) == [false, true])
    }

    @Test("where there is an account key only a device that it certifies removes another; any removes itself")
    func removalAsksForCertificate() throws {
        func revoke(_ device: DeviceID, from sender: DeviceAddress) throws -> String? {
            try code(request(RevokeDevice(device: device), from: sender))
        }
        let add = try request(
            AddDevice.self, #"{"user_id":"alice","device_id":"tablet"}"#, from: device("operator", "console"))
        #expect(try code(add) == nil)
        // Nobody has made an account key yet: all are alike.
        #expect(try revoke("tablet", from: laptop) == nil)
        #expect(try code(add) == nil)
        #expect(try code(publish(keys, by: account, from: phone)) == nil)
        #expect(try revoke("phone", from: laptop) == "forbidden")
        #expect(try revoke("tablet", from: laptop) == "forbidden")
        #expect(try test.store.read { try $0.devices.summaries(of: "alice") }.count == 3)
        #expect(try revoke("tablet", from: device("alice", "tablet")) == nil)
        // Done already, it is answered as it was, whoever asks again.
        #expect(try revoke("tablet", from: laptop) == nil && revoke("nothing", from: laptop) == "not_found")
        #expect(try revoke("laptop", from: phone) == nil)
        #expect(try test.store.read { try $0.devices.summaries(of: "alice") }.map(\.device) == ["phone"])
    }

    @Test("who is refused after having been certified in the same batch has changed nothing")
    func refusedChangesNothing() throws {
        try test.execute(
            "CREATE TRIGGER poison BEFORE UPDATE OF account_key ON users BEGIN SELECT RAISE(ABORT, 'poisoned'); END")
        #expect(try code(publish(keys, by: account, from: phone)) == "internal")
        #expect(try userKeys() == UserKeys(user: "alice", devices: []))
        try test.execute("DROP TRIGGER poison")
        #expect(try code(publish(keys, by: account, from: phone)) == nil)
        #expect(try certified() == ["phone"])
    }
}

extension TestKeys {
    /// The identity key of one and the signing key of another.
    init(identity: TestKeys, signing: TestKeys) throws {
        self = identity
        self.signingKey = signing.signingKey
    }
}

extension JSONWriter {
    /// An accepted reply to a request without a name.
    static func reply(_ data: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        Reply.writeAccepted(nil, to: &writer, data: data)
        return writer.finish()
    }
}
