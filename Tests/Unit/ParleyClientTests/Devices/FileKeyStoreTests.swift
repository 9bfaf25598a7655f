import TestSupport
import Foundation
import ParleyCrypto
import ParleyProtocol
import PrivateFiles
import Sodium
import Testing

@testable import ParleyClient

@Suite("Keys in a file")
struct FileKeyStoreTests {
    private let position: TemporaryDirectory
    private let directory: DeviceDirectory
    private let now = Timestamp(milliseconds: 1_768_469_400_000)

    init() throws {
        position = try TemporaryDirectory()
        directory = position.directory(of: device("alice/phone"))
    }

    private var path: String { directory.keysPath }
    private var plain: FileKeyStore { FileKeyStore(in: directory) }

    private func protected(_ passphrase: String) throws -> FileKeyStore {
        FileKeyStore(in: directory, protectedBy: try .cheap(passphrase))
    }

    /// Expects that the store refuses for this reason, whatever is asked of it, and that the file is left as it is.
    private func expectRefusal(_ store: FileKeyStore, _ reason: KeyFileError) throws {
        let before = try directory.bytes(path)
        for attempt in [{ _ = try store.keys() }, { _ = try store.change(.rotation, now: now) }] as [() throws -> Void]
        {
            let error = #expect(throws: KeyStoreError.self) { try attempt() }
            #expect(error == KeyStoreError(reason: reason, path: path))
        }
        #expect(throws: KeyStoreError.self) { try store.changeProtection(to: .ownership) }
        #expect(try directory.bytes(path) == before)
    }

    // MARK: Where they lie

    @Test("the file is its owner's alone, and nothing but it and its lock is left")
    func file() throws {
        _ = try plain.keys()
        _ = try plain.change(.rotation, now: now)
        #expect(try directory.entries == ["keys", "keys.lock"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("a file that others may use is refused", arguments: [0o604, 0o640, 0o622, 0o666])
    func readableByOthers(mode: Int) throws {
        let keys = try plain.keys()
        let bytes = try directory.bytes(path)
        try directory.overwrite(path, with: bytes, mode: mode)
        try expectRefusal(plain, .readableByOthers)
        try directory.overwrite(path, with: bytes)
        #expect(try plain.keys().identityKey == keys.identityKey)
    }

    @Test("what a process leaves that is killed while it makes the keys is no identity, and goes")
    func killedWhileMaking() throws {
        try directory.make()
        let half = try KeyFile.encode(.generate(for: directory.device), .ownership).prefix(40)
        try directory.overwrite("\(directory.path)/.keys.new", with: Array(half))
        try directory.overwrite("\(path).lock", with: [])
        let keys = try plain.keys()
        #expect(try plain.keys().identityKey == keys.identityKey)
        #expect(try directory.entries == ["keys", "keys.lock"])
    }

    @Test("where nothing can be written there are no keys, and the system's reason is given")
    func unwritable() throws {
        let store = FileKeyStore(in: DeviceDirectory(of: device("alice/phone"), in: "\(position.path)/nowhere"))
        let error = #expect(throws: KeyStoreError.self) { try store.keys() }
        guard case .file(let cause) = error?.reason else { throw UnexpectedError(error) }
        #expect(cause.isMissing)
    }

    // MARK: Passphrases

    @Test("a passphrase keeps the keys from everybody else, and from whoever has another one or none")
    func passphrase() throws {
        let keys = try protected("correct horse").keys()
        #expect(try protected("correct horse").keys().identityKey == keys.identityKey)
        let file = try directory.bytes(path)
        for secret in try keys.secrets { #expect(!file.contains(secret)) }
        try expectRefusal(try protected("correct hors"), .wrongPassphrase)
        try expectRefusal(plain, .passphraseNeeded)
    }

    @Test("without a passphrase the file holds the keys, and one that is given is refused")
    func noPassphrase() throws {
        let keys = try plain.keys()
        let file = try directory.bytes(path)
        for secret in try keys.secrets { #expect(file.contains(secret)) }
        try expectRefusal(try protected("correct horse"), .notEncrypted)
    }

    @Test("a passphrase is added, changed and taken away; the keys stay")
    func changing() throws {
        let keys = try plain.change(.rotation, now: now)
        let added = try plain.changeProtection(to: .cheap("one"))
        #expect(try added.keys().secrets == keys.secrets)
        try expectRefusal(plain, .passphraseNeeded)
        for secret in try keys.secrets { #expect(!(try directory.bytes(path).contains(secret))) }
        _ = try added.changeProtection(to: .cheap("two"))
        try expectRefusal(added, .wrongPassphrase)
        let open = try protected("two").changeProtection(to: .ownership)
        #expect(try open.keys().secrets == keys.secrets)
        #expect(try plain.keys().secrets == keys.secrets)
    }

    @Test("whether a passphrase is needed is seen without one, and a file that is no keys says what it is")
    func needed() throws {
        #expect(try !plain.needsPassphrase())
        #expect(!FileManager.default.fileExists(atPath: path))
        _ = try plain.keys()
        #expect(try !plain.needsPassphrase())
        _ = try plain.changeProtection(to: .cheap("one"))
        #expect(try plain.needsPassphrase() && protected("two").needsPassphrase())
        try directory.overwrite(path, with: Array(try directory.bytes(path).dropLast()))
        let error = #expect(throws: KeyStoreError.self) { try plain.needsPassphrase() }
        #expect(error == KeyStoreError(reason: .truncated, path: path))
    }

    @Test("a passphrase is the same in whatever way its accents are spelled, and is neither empty nor endless")
    func spelling() throws {
        let keys = try protected("caf\u{E9}").keys()
        #expect(try protected("cafe\u{301}").keys().identityKey == keys.identityKey)
        #expect(Passphrase("") == nil && Passphrase(String(repeating: "a", count: 1025)) == nil)
        #expect(Passphrase(String(repeating: "a", count: 1024)) != nil)
    }

    @Test("the same keys never lie twice under the same salt and nonce")
    func salted() throws {
        let keys = try DeviceKeySet.generate(for: directory.device)
        let files = try (0..<8).map { _ in try KeyFile.encode(keys, .cheap("one"))[22..<62] }
        #expect(Set(files).count == 8)
    }

    // MARK: Version 1

    /// Keys as version 1 wrote them: without anything of an account key.
    private func version1(_ keys: DeviceKeySet, _ protection: KeyProtection) throws -> [UInt8] {
        let body = Array(keys.encoded.dropLast())
        var file = ByteWriter()
        file.bytes(Array("PARLEYKS".utf8) + [1])
        func finish(_ file: ByteWriter) throws -> [UInt8] {
            let bytes = file.bytes
            return bytes + (try BLAKE2b.hash(bytes.span, length: .bytes32))
        }
        switch protection {
        case .ownership:
            file.byte(0)
            file.number(UInt64(14 + body.count + 32), bytes: 4)
            file.bytes(body)
        case .passphrase(let passphrase, let cost):
            let (salt, nonce) = (try RandomBytes.make(count: 16), try RandomBytes.make(count: 24))
            file.byte(1)
            file.number(UInt64(14 + 48 + body.count + 16 + 32), bytes: 4)
            file.number(UInt64(cost.argon2id.passes), bytes: 4)
            file.number(UInt64(cost.argon2id.kibibytes), bytes: 4)
            file.bytes(salt + nonce)
            let header = file.bytes
            let key = try passphrase.bytes.withBytes { (password) throws(SodiumError) in
                try Argon2id.derive(password: password, salt: salt.span, cost: cost.argon2id, length: 32)
            }
            file.bytes(
                try key.withBytes { (key) throws(SodiumError) in
                    try XChaCha20Poly1305.seal(body.span, nonce: nonce.span, additionalData: header.span, key: key)
                })
        }
        return try finish(file)
    }

    @Test(
        "a file of version 1 is read as keys that no account has certified, and the next change writes the new version")
    func version1() throws {
        for protection in [.ownership, try KeyProtection.cheap("one")] {
            let old = try #require(
                try DeviceKeySet.generate(for: directory.device).applying(.rotation, now: now))
            try directory.make()
            try directory.overwrite(path, with: try version1(old, protection))
            let store = FileKeyStore(in: directory, protectedBy: protection)
            let read = try store.keys()
            #expect(try read.secrets == old.secrets && read.accountKey == nil)
            #expect(try directory.bytes(path)[8] == 1)
            let changed = try store.change(.newAccount, now: now)
            #expect(changed.identityKey == old.identityKey && changed.accountKey != nil)
            #expect(try directory.bytes(path)[8] == 2)
            #expect(try store.keys().secrets == changed.secrets)
        }
    }

    @Test("a certificate in the file that is not of these keys makes it no keys")
    func foreignCertificate() throws {
        let keys = try #require(try DeviceKeySet.generate(for: directory.device).applying(.newAccount, now: now))
        let other = try #require(try DeviceKeySet.generate(for: directory.device).applying(.newAccount, now: now))
        let certificate = try #require(other.status.certificate)
        let secret = try #require(keys.status.secret)
        for status in [
            AccountStatus.holder(secret, certificate, isEstablished: true), .certified(secret.publicKey, certificate),
        ] {
            let mixed = try DeviceKeySet(
                of: keys.device, identity: keys.identity, retired: [], signingSeed: keys.signingSeed,
                storageKey: keys.storageKey, status: status)
            try directory.make()
            try directory.overwrite(path, with: try KeyFile.encode(mixed, .ownership))
            try expectRefusal(plain, .corrupt)
        }
    }

    // MARK: Bounds

    @Test("a thousand retired keys are kept, and one more is refused with nothing lost")
    func boundedRetired() throws {
        var keys = try DeviceKeySet.generate(for: directory.device)
        let retired = DeviceKeySet.RetiredIdentity(keys: keys.identity, retiredAt: now)
        keys = try DeviceKeySet(
            of: keys.device, identity: keys.identity, retired: Array(repeating: retired, count: 999),
            signingSeed: keys.signingSeed, storageKey: keys.storageKey)
        try directory.make()
        try directory.overwrite(path, with: KeyFile.encode(keys, .ownership))
        let full = try plain.change(.rotation, now: now)
        #expect(full.retired.count == 1000)
        let error = #expect(throws: KeyStoreError.self) { try plain.change(.rotation, now: now) }
        #expect(error?.reason == .tooManyRetired)
        #expect(try plain.keys().identityKey == full.identityKey)
    }
}
