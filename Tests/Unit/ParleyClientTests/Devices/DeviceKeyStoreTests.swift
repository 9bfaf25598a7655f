import TestSupport
import Foundation
import ParleyCrypto
import ParleyProtocol
import Sodium
import Synchronization
import Testing

@testable import ParleyClient

/// The stores that are held to the same: each gives, for a place of one test's own, a way to open it as often as
/// wanted.
enum KeyStoreKind: CaseIterable {
    case ownersFile, passphraseFile

    func open(_ device: DeviceAddress, in position: TemporaryDirectory) throws -> any DeviceKeyStore {
        switch self {
        case .ownersFile: FileKeyStore(in: position.directory(of: device))
        case .passphraseFile: FileKeyStore(in: position.directory(of: device), protectedBy: try .cheap("a passphrase"))
        }
    }
}

extension KeyProtection {
    /// A passphrase at the least cost there is.
    static func cheap(_ text: String) throws -> KeyProtection {
        let cost = PassphraseCost(try Argon2id.Cost(passes: 1, kibibytes: 8))
        return .passphrase(try #require(Passphrase(text)), cost)
    }
}

@Suite("Every store of a device's keys")
struct DeviceKeyStoreTests {
    private let position: TemporaryDirectory
    private let phone = device("alice/phone")
    private let now = Timestamp(milliseconds: 1_768_469_400_000)

    init() throws { position = try TemporaryDirectory() }

    /// What so many threads make that begin together, without what fails.
    private func atOnce<Value: Sendable>(_ count: Int, _ make: @Sendable () throws -> Value?) -> [Value] {
        let made = Mutex<[Value]>([])
        DispatchQueue.concurrentPerform(iterations: count) { _ in
            if let value = try? make() { made.withLock { $0.append(value) } }
        }
        return made.withLock { $0 }
    }

    @Test(
        "keys are made once; asking again, and opening the store again, gives the same",
        arguments: KeyStoreKind.allCases)
    func once(kind: KeyStoreKind) throws {
        let store = try kind.open(phone, in: position)
        let keys = try store.keys()
        #expect(store.device == phone && keys.device == phone && keys.retired.isEmpty)
        for again in [try store.keys(), try kind.open(phone, in: position).keys()] {
            #expect(try again.secrets == keys.secrets)
        }
    }

    @Test("of many who ask at the same instant one makes the keys", arguments: KeyStoreKind.allCases)
    func atOnce(kind: KeyStoreKind) throws {
        let made = atOnce(16) { try kind.open(phone, in: position).keys().identityKey }
        #expect(made.count == 16 && Set(made).count == 1)
    }

    @Test("rotating makes a new identity key and keeps the old ones, newest first", arguments: KeyStoreKind.allCases)
    func rotation(kind: KeyStoreKind) throws {
        let store = try kind.open(phone, in: position)
        let first = try store.keys()
        let second = try store.change(.rotation, now: now)
        let third = try store.change(.rotation, now: now.advanced(byMilliseconds: 1))
        #expect(Set([first, second, third].map(\.identityKey)).count == 3)
        #expect(third.identities.map(\.publicKey) == [third, second, first].map(\.identityKey))
        #expect(third.retired.map(\.retiredAt) == [now.advanced(byMilliseconds: 1), now])
        let kept = try kind.open(phone, in: position).keys()
        #expect(try kept.secrets == third.secrets)
        #expect(kept.retired.map(\.retiredAt) == third.retired.map(\.retiredAt))
        // What others verify by and what is on the disk goes on.
        #expect(try first.publication().signingKey == kept.publication().signingKey)
        #expect(first.storageKey.array == kept.storageKey.array)
    }

    @Test("of many rotations at the same instant none is lost", arguments: KeyStoreKind.allCases)
    func rotationsAtOnce(kind: KeyStoreKind) throws {
        let first = try kind.open(phone, in: position).keys().identityKey
        let made = atOnce(8) { try kind.open(phone, in: position).change(.rotation, now: now).identityKey }
        let kept = try kind.open(phone, in: position).keys().identities.map(\.publicKey)
        #expect(kept.count == 9 && Set(kept) == Set(made + [first]) && kept.last == first)
    }

    @Test("a store that was never asked can be rotated", arguments: KeyStoreKind.allCases)
    func rotationFirst(kind: KeyStoreKind) throws {
        #expect(try kind.open(phone, in: position).change(.rotation, now: now).retired.count == 1)
    }

    @Test("each device has keys of its own", arguments: KeyStoreKind.allCases)
    func separate(kind: KeyStoreKind) throws {
        let one = try kind.open(phone, in: position).keys()
        let other = try kind.open(device("alice/laptop"), in: position).keys()
        #expect(Set(try one.secrets).isDisjoint(with: try other.secrets))
    }

    @Test("what is published is signed, and is taken by others", arguments: KeyStoreKind.allCases)
    func publication(kind: KeyStoreKind) throws {
        let keys = try kind.open(phone, in: position).change(.rotation, now: now)
        let listed = try keys.listed()
        #expect(listed.identityKey == keys.identityKey.bytes && listed.signature != nil)
        #expect(try listed.verifiedIdentityKey(of: phone.user) == keys.identityKey)
    }

    // MARK: The account key

    @Test(
        "the account key is made once, certifies the device, and is published the same each time",
        arguments: KeyStoreKind.allCases)
    func account(kind: KeyStoreKind) throws {
        let store = try kind.open(phone, in: position)
        #expect(try store.keys().accountKey == nil && store.keys().publication().proof == nil)
        let made = try store.change(.newAccount, now: now)
        let account = try #require(made.accountKey)
        #expect(made.status.isProposed)
        for again in [
            try store.keys(), try store.change(.newAccount, now: now), try kind.open(phone, in: position).keys(),
        ] {
            #expect(again.accountKey == account)
            #expect(try again.publication() == made.publication())
            #expect(try again.secrets == made.secrets)
        }
        let proof = try #require(try made.publication().proof)
        #expect(proof.accountKey == account.bytes && proof.certificate.issuedAt == now)
        #expect(account.hasCertified(try made.listed(), of: phone.user))
    }

    @Test("of many who make the account key at the same instant one does", arguments: KeyStoreKind.allCases)
    func accountAtOnce(kind: KeyStoreKind) throws {
        let made = atOnce(16) { try kind.open(phone, in: position).change(.newAccount, now: now).accountKey }
        #expect(made.count == 16 && Set(made).count == 1)
    }

    @Test(
        "new keys are certified later than those before them, whatever the clock says", arguments: KeyStoreKind.allCases
    )
    func certifiedRotation(kind: KeyStoreKind) throws {
        let store = try kind.open(phone, in: position)
        let account = try store.change(.newAccount, now: now).accountKey
        for (clock, expected) in [(-5000, 1), (0, 2), (10, 10)] as [(Int64, Int64)] {
            let keys = try store.change(.rotation, now: now.advanced(byMilliseconds: clock))
            #expect(keys.accountKey == account)
            #expect(keys.status.certificate?.issuedAt == now.advanced(byMilliseconds: expected))
            #expect(account?.hasCertified(try keys.listed(), of: phone.user) == true)
        }
    }

    @Test(
        "an account key that nobody has seen is given up; one that the gateway has accepted is not",
        arguments: KeyStoreKind.allCases)
    func givenUp(kind: KeyStoreKind) throws {
        let store = try kind.open(phone, in: position)
        let first = try #require(try store.change(.newAccount, now: now).accountKey)
        #expect(try store.keys().status.establishedKey == nil, "nobody knows the user by it yet")
        let other = try AccountSecret.generate().publicKey
        #expect(try store.change(.givingUp(other), now: now).accountKey == first)
        #expect(try store.change(.established(other), now: now).status.isProposed)
        #expect(try store.change(.givingUp(first), now: now).accountKey == nil)
        let second = try #require(try store.change(.newAccount, now: now).accountKey)
        #expect(second != first)
        #expect(try store.change(.established(second), now: now).status.isProposed == false)
        #expect(try store.keys().status.establishedKey == second)
        #expect(try store.change(.givingUp(second), now: now).accountKey == second)
        #expect(try kind.open(phone, in: position).keys().status.isProposed == false)
    }

    @Test("an account that is handed over takes the place of what was there, with its certificate if that is good")
    func adopted() throws {
        for kind in KeyStoreKind.allCases {
            let position = try TemporaryDirectory()
            let store = try kind.open(phone, in: position)
            let keys = try store.change(.newAccount, now: now)
            let account = try AccountSecret.generate()
            let good = try account.certify(
                phone, identityKey: keys.identityKey.bytes, signingKey: keys.signingPublicKey, at: .earliest)
            let bad = DeviceCertificate(signature: good.signature, issuedAt: now)
            for (certificate, expected) in [(bad, now), (good, .earliest)] {
                let adopted = try store.change(.adopting(account, certificate), now: now)
                #expect(adopted.accountKey == account.publicKey && !adopted.status.isProposed)
                #expect(adopted.status.certificate?.issuedAt == expected)
                #expect(account.publicKey.hasCertified(try adopted.listed(), of: phone.user))
            }
            #expect(try kind.open(phone, in: position).keys().accountKey == account.publicKey)
        }
    }

    @Test("a device that was only given a certificate is to be linked anew once its keys change")
    func certifiedOnly() throws {
        let account = try AccountSecret.generate()
        let keys = try DeviceKeySet.generate(for: phone)
        let certificate = try account.certify(
            phone, identityKey: keys.identityKey.bytes, signingKey: keys.signingPublicKey, at: now)
        let certified = try DeviceKeySet(
            of: phone, identity: keys.identity, retired: [], signingSeed: keys.signingSeed, storageKey: keys.storageKey,
            status: .certified(account.publicKey, certificate))
        #expect(try certified.publication().proof?.certificate == certificate)
        let file = try KeyFile.encode(certified, .ownership)
        #expect(try KeyFile.decode(file, of: phone, with: nil).status.certificate == certificate)
        #expect(try certified.applying(.newAccount, now: now)?.accountKey == account.publicKey)
        let rotated = try #require(try certified.applying(.rotation, now: now))
        #expect(try rotated.accountKey == nil && rotated.publication().proof == nil)
    }

    @Test("no description, mirror or dump of keys, stores and errors holds a secret", arguments: KeyStoreKind.allCases)
    func silence(kind: KeyStoreKind) throws {
        let store = try kind.open(phone, in: position)
        _ = try store.change(.newAccount, now: now)
        let keys = try store.change(.rotation, now: now)
        var dumped = ""
        for value in [keys, store, keys.identities, keys.retired, keys.status] as [Any] {
            dump(value, to: &dumped)
            dumped += "\(value) \(String(reflecting: value))"
        }
        #expect(!dumped.contains("a passphrase"))
        for secret in try keys.secrets {
            #expect(!dumped.contains(Base64.encode(secret)) && !dumped.contains("\(secret)"))
            #expect(!dumped.contains(secret.map { String($0, radix: 16) }.joined()))
        }
    }
}

extension DeviceKeySet {
    /// Everything in it that is secret, in one order.
    var secrets: [[UInt8]] {
        get throws {
            let account = status.secret.map { [$0.seed] } ?? []
            return (identities.map(\.secret) + [storageKey, signingSeed] + account).map(\.array)
        }
    }
}

extension SecretBytes {
    var array: [UInt8] { withBytes { span in (0..<span.count).map { span[$0] } } }
}
