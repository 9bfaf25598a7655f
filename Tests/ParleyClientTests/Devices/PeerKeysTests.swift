import Foundation
import ParleyCrypto
import ParleyProtocol
import PrivateFiles
import Sodium
import Testing

@testable import ParleyClient

@Suite("What is known of others' keys, on the disk")
struct PeerKeysTests {
    private let place: TemporaryDataDirectory
    private let directory: DeviceDirectory
    private let storageKey: SecretBytes
    private let keys: TestKeys
    private let bob = UserID(validated: "bob")
    private let phone = device("bob/phone")

    init() throws {
        place = try TemporaryDataDirectory()
        directory = place.directory(of: device("alice/phone"))
        storageKey = try SecretBytes.random(count: 32)
        keys = try TestKeys()
    }

    private var path: String { directory.peersPath }

    /// As another process of the device opens it.
    private func open() throws -> PeerKeys { try PeerKeys(in: directory, storageKey: storageKey) }

    private func update(_ peers: inout PeerKeys, _ listing: [(String, Int)]) throws -> [PeerKeyNotice] {
        try peers.update(bob, with: listing.map { published($0.0, keys[$0.1]) }, now: .earliest)
    }

    @Test("what was pinned is pinned in the next process")
    func kept() throws {
        var peers = try open()
        #expect(try update(&peers, [("phone", 0), ("laptop", 1)]).isEmpty)
        var next = try open()
        #expect(next.book == peers.book && next.book.knownKeys(of: phone) == [keys[0]])
        #expect(try update(&next, [("phone", 2)]).contains(.changed(phone, from: keys[0], to: keys[2])))
        #expect(try open().book.blocked(for: [bob]) == [phone])
    }

    @Test("a key accepted in another process unblocks this one, which is told")
    func acceptedElsewhere() throws {
        var chat = try open()
        _ = try update(&chat, [("phone", 0)])
        _ = try update(&chat, [("phone", 1)])
        #expect(chat.book.blocked(for: [bob]) == [phone])
        #expect(try chat.refresh().isEmpty)

        var tool = try open()
        #expect(try tool.accept(bob) == [.accepted(phone, keys[1])])

        #expect(chat.book.blocked(for: [bob]) == [phone])
        #expect(try chat.refresh() == [.accepted(phone, keys[1])])
        #expect(chat.book.blocked(for: [bob]).isEmpty)
        #expect(try chat.refresh().isEmpty)
    }

    @Test("a change is made to what others have changed meanwhile, and tells both")
    func changeOfWhatOthersChanged() throws {
        var one = try open()
        _ = try update(&one, [("phone", 0)])
        var other = try open()
        _ = try update(&other, [("phone", 1)])
        let notices = try update(&one, [("phone", 1), ("laptop", 2)])
        #expect(notices == [.changed(phone, from: keys[0], to: keys[1]), .added(device("bob/laptop"))])
        #expect(try one.book == open().book)
    }

    @Test("of many changes at the same instant none is lost")
    func atOnce() throws {
        let (directory, storageKey, keys) = (directory, storageKey, keys)
        DispatchQueue.concurrentPerform(iterations: 24) { index in
            do {
                var peers = try PeerKeys(in: directory, storageKey: storageKey)
                let listing = [published("phone", keys[index])]
                _ = try peers.update(UserID(validated: "user-\(index)"), with: listing, now: .earliest)
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
        _ = try peers.accept(bob)
        #expect(try Files.identity(of: path) == before)
    }

    @Test("a file that is gone is not taken for knowing nobody")
    func gone() throws {
        var peers = try open()
        _ = try update(&peers, [("phone", 0)])
        try FileManager.default.removeItem(atPath: path)
        #expect(try peers.refresh().isEmpty)
        #expect(try update(&peers, [("phone", 1)]) == [.changed(phone, from: keys[0], to: keys[1])])
        #expect(try open().book.blocked(for: [bob]) == [phone])
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
        let laptop = place.directory(of: device("alice/laptop"))
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
        for bit in 0..<(good.count * 8) {
            var changed = good
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            damaged.append(changed)
        }
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
        #expect(throws: PeerKeysError.self) { try peers.accept(bob) }
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

@Suite("The form of a book of keys")
struct PeerKeyBookCodingTests {
    private let owner = device("alice/phone")
    private let bob = UserID(validated: "bob")
    private let book: PeerKeyBook

    /// A device of every kind: pinned, waiting, with older keys, removed, and one whose keys are bad.
    init() throws {
        let keys = try TestKeys()
        var book = PeerKeyBook(of: owner)
        for listing in [[("phone", 0), ("laptop", 1), ("old", 2)], [("phone", 3), ("laptop", 1), ("old", 2)]] {
            _ = book.update(bob, with: listing.map { published($0.0, keys[$0.1]) }, now: .earliest)
        }
        _ = book.accept(bob)
        let listing = [published("phone", keys[4]), published("laptop", keys[1])]
        _ = book.update(bob, with: listing + [try Fault.lowOrder.listing("tv", of: bob)], now: .latest)
        _ = book.update(UserID(validated: "carol"), with: [], now: .latest)
        self.book = book
    }

    @Test("a book is read as it was written")
    func roundTrip() {
        #expect(PeerKeyBook(parsing: book.encoded, of: owner) == book)
        #expect(book.blocked(for: [bob]) == [device("bob/phone")])
        #expect(book.knownKeys(of: device("bob/phone")).count == 2)
        #expect(book.knownKeys(of: device("bob/old")).count == 1)
        #expect(book.unusable(of: [bob]) == [device("bob/tv")])
        let empty = PeerKeyBook(of: owner)
        #expect(PeerKeyBook(parsing: empty.encoded, of: owner) == empty)
    }

    @Test("no beginning of it is a book, nor is anything after it")
    func truncated() {
        let bytes = book.encoded
        for count in 0..<bytes.count { #expect(PeerKeyBook(parsing: Array(bytes.prefix(count)), of: owner) == nil) }
        #expect(PeerKeyBook(parsing: bytes + [0], of: owner) == nil)
    }

    @Test("changed bytes are another book or none")
    func everyBit() {
        let bytes = book.encoded
        for bit in 0..<(bytes.count * 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let read = PeerKeyBook(parsing: changed, of: owner) else { continue }
            #expect(read != book)
        }
    }

    @Test("random bytes are no book, and cost no more than they are long")
    func random() throws {
        for count in [0, 3, 4, 5, 100, 10_000] {
            #expect(PeerKeyBook(parsing: try RandomBytes.make(count: count), of: owner)?.users.isEmpty ?? true)
        }
        #expect(PeerKeyBook(parsing: [0xFF, 0xFF, 0xFF, 0xFF], of: owner) == nil)
    }

    @Test("what no history leads to is refused: the pinned key twice, a removed device that waits, a weak key")
    func impossible() throws {
        let keys = try TestKeys()
        func parse(flags: UInt8, pending: [UInt8] = [], pinned: [UInt8], older: [[UInt8]]) -> PeerKeyBook? {
            var writer = ByteWriter()
            writer.number(1, bytes: 4)
            writer.id(bob)
            writer.number(1, bytes: 2)
            writer.id(DeviceID(validated: "phone"))
            writer.byte(flags)
            if flags & 1 != 0 { writer.number(0, bytes: 8) }
            writer.bytes(pending)
            writer.byte(UInt8(older.count))
            for key in [pinned] + older { writer.bytes(key) }
            writer.number(0, bytes: 2)
            return PeerKeyBook(parsing: writer.bytes, of: owner)
        }
        let (a, b) = (keys[0].bytes, keys[1].bytes)
        #expect(parse(flags: 0, pinned: a, older: [b]) != nil)
        #expect(parse(flags: 2, pending: b, pinned: a, older: []) != nil)
        #expect(parse(flags: 1, pinned: a, older: []) != nil)
        #expect(parse(flags: 0, pinned: a, older: [a]) == nil)
        #expect(parse(flags: 0, pinned: a, older: [b, b]) == nil)
        #expect(parse(flags: 2, pending: a, pinned: a, older: []) == nil)
        #expect(parse(flags: 3, pending: b, pinned: a, older: []) == nil)
        #expect(parse(flags: 4, pinned: a, older: []) == nil)
        #expect(parse(flags: 0, pinned: [UInt8](repeating: 0, count: 32), older: []) == nil)
        #expect(parse(flags: 0, pinned: a, older: (2..<11).map { keys[$0].bytes }) == nil)
    }
}
