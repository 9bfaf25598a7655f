import TestSupport
import Foundation
import ParleyCrypto
import ParleyProtocol
import PrivateFiles
import Sodium
import Testing

@testable import ParleyClient

@Suite("What is known of others' keys, on the disk")
struct PeerKeysTests {
    private let position: TemporaryDirectory
    private let directory: DeviceDirectory
    private let storageKey: SecretBytes
    private let keys: TestKeys
    private let bob = UserID(validated: "bob")
    private let phone = device("bob/phone")

    init() throws {
        position = try TemporaryDirectory()
        directory = position.directory(of: device("alice/phone"))
        storageKey = try SecretBytes.random(count: 32)
        keys = try TestKeys()
    }

    private var path: String { directory.peersPath }

    /// As another process of the device opens it.
    private func open() throws -> PeerKeys { try PeerKeys(in: directory, storageKey: storageKey) }

    private func update(_ peers: inout PeerKeys, _ listing: [(String, Int)]) throws -> [PeerKeyNotice] {
        try peers.update(with: ParleyClientTests.listing("bob", listing.map { published($0.0, keys[$0.1]) }))
    }

    private func accept(_ peers: inout PeerKeys) throws -> [PeerKeyNotice] {
        let outcome = try peers.accept(try #require(peers.book.presented(of: bob)))
        #expect(outcome.refusal == nil)
        return outcome.notices
    }

    @Test("what was pinned is pinned in the next process")
    func kept() throws {
        var peers = try open()
        #expect(try update(&peers, [("phone", 0), ("laptop", 1)]) == [.met(bob, hasAccountKey: false)])
        var next = try open()
        #expect(next.book == peers.book && next.book.knownKeys(of: phone) == [keys[0]])
        #expect(try update(&next, [("phone", 2)]).contains(.deviceHeld(phone, isNew: false)))
        #expect(try open().book.isHeld(bob))
    }

    @Test("a key accepted in another process unblocks this one, which is told")
    func acceptedElsewhere() throws {
        var chat = try open()
        _ = try update(&chat, [("phone", 0)])
        _ = try update(&chat, [("phone", 1)])
        #expect(chat.book.isHeld(bob))
        #expect(try chat.refresh().isEmpty)

        var tool = try open()
        #expect(try accept(&tool) == [.accepted(bob)])

        #expect(chat.book.isHeld(bob))
        #expect(try chat.refresh() == [.accepted(bob)])
        #expect(!chat.book.isHeld(bob))
        #expect(try chat.refresh().isEmpty)
    }

    @Test("what another process was told meanwhile is not accepted here, and this one is told of it")
    func acceptedTooLate() throws {
        var chat = try open()
        _ = try update(&chat, [("phone", 0)])
        _ = try update(&chat, [("phone", 1)])
        let shown = try #require(chat.book.presented(of: bob))
        var tool = try open()
        _ = try update(&tool, [("phone", 1), ("tv", 2)])
        for attempt in [{ try chat.accept(shown) }, { try chat.accept(shown, isCompared: true) }] {
            let outcome = try attempt()
            #expect(outcome.refusal == .changed(bob))
        }
        #expect(chat.book == tool.book && chat.book.isHeld(bob))
    }

    @Test("the account key that this device holds is kept as the one its own user is known by")
    func ownAccount() throws {
        let account = try TestAccount()
        var peers = try open()
        #expect(try peers.adoptOwn(account.key).isEmpty)
        let before = try Files.identity(of: path)
        #expect(try peers.adoptOwn(account.key).isEmpty)
        #expect(try Files.identity(of: path) == before)
        #expect(try open().book.accountKey(of: UserID(validated: "alice")) == account.key)
    }

    @Test("a change is made to what others have changed meanwhile, and tells both")
    func changeOfWhatOthersChanged() throws {
        var one = try open()
        _ = try update(&one, [("phone", 0)])
        var other = try open()
        _ = try update(&other, [("phone", 1)])
        let notices = try update(&one, [("phone", 1), ("laptop", 2)])
        #expect(notices == [.deviceHeld(phone, isNew: false), .deviceHeld(device("bob/laptop"), isNew: true)])
        #expect(try one.book == open().book)
    }

    @Test("of many changes at the same instant none is lost")
    func atOnce() throws {
        let (directory, storageKey, keys) = (directory, storageKey, keys)
        DispatchQueue.concurrentPerform(iterations: 24) { index in
            do {
                var peers = try PeerKeys(in: directory, storageKey: storageKey)
                _ = try peers.update(with: listing("user-\(index)", [published("phone", keys[index])]))
            } catch {
                Issue.record(error)
            }
        }
        let book = try open().book
        for index in 0..<24 { #expect(book.knownKeys(of: device("user-\(index)/phone")) == [keys[index]]) }
    }

    @Test("a listing that changes nothing writes nothing")
    func unchanged() throws {
        var peers = try open()
        _ = try update(&peers, [("phone", 0)])
        let before = try Files.identity(of: path)
        _ = try update(&peers, [("phone", 0)])
        #expect(try accept(&peers).isEmpty)
        #expect(try Files.identity(of: path) == before)
    }

    @Test("a file that is gone is not taken for knowing nobody")
    func gone() throws {
        var peers = try open()
        _ = try update(&peers, [("phone", 0)])
        try FileManager.default.removeItem(atPath: path)
        #expect(try peers.refresh().isEmpty)
        #expect(try update(&peers, [("phone", 1)]) == [.deviceHeld(phone, isNew: false)])
        #expect(try open().book.isHeld(bob))
    }

    // MARK: The file

    @Test("the file is its owner's alone, and tells nothing of who is known")
    func file() throws {
        var peers = try open()
        _ = try update(&peers, [("phone", 0)])
        let bytes = try directory.bytes(path)
        #expect(!bytes.contains(Array("bob".utf8)) && !bytes.contains(keys[0].bytes))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try directory.entries == ["peers", "peers.lock"])
        try directory.overwrite(path, with: bytes, mode: 0o644)
        #expect(throws: PeerKeysError.readableByOthers(path: path)) { try open() }
        try directory.overwrite(path, with: bytes)
        #expect(try open().book == peers.book)
    }

    @Test("another device's file, and one under another key, are refused")
    func foreign() throws {
        var peers = try open()
        _ = try update(&peers, [("phone", 0)])
        let bytes = try directory.bytes(path)
        let other = try SecretBytes.random(count: 32)
        #expect(throws: PeerKeysError.corrupt(path: path)) { try PeerKeys(in: directory, storageKey: other) }
        let laptop = position.directory(of: device("alice/laptop"))
        try laptop.make()
        try laptop.overwrite(laptop.peersPath, with: bytes)
        #expect(throws: PeerKeysError.corrupt(path: laptop.peersPath)) {
            try PeerKeys(in: laptop, storageKey: storageKey)
        }
    }

    @Test("a file that is cut anywhere or has any bit changed is refused, and not written over")
    func damaged() throws {
        var peers = try open()
        _ = try update(&peers, [("phone", 0), ("laptop", 1)])
        let good = try directory.bytes(path)
        var damaged = (0..<good.count).map { Array(good.prefix($0)) }
        damaged += (0..<(good.count * 8)).map { good.flipping($0) }
        damaged.append(good + [0])
        damaged += try [1, 33, 49, 500].map { try RandomBytes.make(count: $0) }
        damaged.append(Array(good.prefix(9)) + (try RandomBytes.make(count: 300)))
        for bytes in damaged {
            try directory.overwrite(path, with: bytes)
            let error = #expect(throws: PeerKeysError.self) { try open() }
            switch error {
            case .corrupt(path), .newerVersion(path, _): break
            default: Issue.record("\(String(describing: error))")
            }
        }
        // A running process is told, too, keeps what it knows, and leaves the file as it is.
        let last = try directory.bytes(path)
        let before = peers.book
        #expect(throws: PeerKeysError.self) { try update(&peers, [("phone", 3)]) }
        let shown = try #require(peers.book.presented(of: bob))
        #expect(throws: PeerKeysError.self) { try peers.accept(shown) }
        #expect(try directory.bytes(path) == last && peers.book == before)
        try directory.overwrite(path, with: good)
        #expect(try open().book == before)
    }

    @Test("a file that is too large is named")
    func tooLarge() throws {
        try directory.make()
        try directory.overwrite(path, with: [])
        try #require(unsafe truncate(path, 1 << 25) == 0)
        #expect(throws: PeerKeysError.tooLarge(path: path)) { try open() }
    }
}
