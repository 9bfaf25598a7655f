import TestSupport
import ParleyCrypto
import ParleyProtocol
import Sodium
import Testing

@testable import ParleyClient

@Suite("The form of a book of keys")
struct PeerKeyBookCodingTests {
    private let fixture: BookFixture
    private let book: PeerKeyBook

    /// Users of every kind: with an account key, verified, held, without one, and oneself; devices of every kind.
    init() throws {
        let f = try BookFixture()
        var book = f.book(
            try f.certified([("phone", 0, 1), ("old", 2, 3)], by: f.account),
            try f.certified([("phone", 3, 2), ("laptop", 1, 1)], by: f.account))
        _ = try book.accept(#require(book.presented(of: f.bob)), isCompared: true)
        let faulty = try Fault.lowOrder.listing("tv", of: f.bob)
        let devices = try f.certified([("phone", 4, 9)], by: f.other).devices + [faulty, published("watch", f.keys[5])]
        _ = book.update(with: listing("bob", account: f.other.key, devices))
        for key in [6, 7] { _ = book.update(with: listing("carol", [published("phone", f.keys[key])])) }
        _ = book.update(with: listing("dave", []))
        _ = book.adoptOwn(f.account.key)
        (fixture, self.book) = (f, book)
    }

    @Test("a book is read as it was written")
    func roundTrip() throws {
        let read = try #require(PeerKeyBook(parsing: book.encoded, of: fixture.owner))
        #expect(read == book)
        #expect(read.isHeld(fixture.bob) && read.isVerified(fixture.bob))
        #expect(read.knownKeys(of: fixture.phone).count == 2)
        #expect(read.fault(of: device("bob/tv")) == .weakKey)
        #expect(read.accountKey(of: fixture.owner.user) == fixture.account.key)
        let empty = PeerKeyBook(of: fixture.owner)
        #expect(PeerKeyBook(parsing: empty.encoded, of: fixture.owner) == empty)
    }

    @Test("what was pending is accepted in the next process as it was shown in this one")
    func pendingIsKept() throws {
        var read = try #require(PeerKeyBook(parsing: book.encoded, of: fixture.owner))
        #expect(try read.accept(#require(book.presented(of: fixture.bob))).first == .accepted(fixture.bob))
        #expect(fixture.sealed(read) == [fixture.phone: fixture.keys[4]])
    }

    @Test("no beginning of it is a book, nor is anything after it")
    func truncated() {
        let bytes = book.encoded
        for count in 0..<bytes.count {
            #expect(PeerKeyBook(parsing: Array(bytes.prefix(count)), of: fixture.owner) == nil)
        }
        #expect(PeerKeyBook(parsing: bytes + [0], of: fixture.owner) == nil)
    }

    @Test("changed bytes are another book or none")
    func everyBit() {
        let bytes = book.encoded
        for bit in 0..<(bytes.count * 8) {
            #expect(PeerKeyBook(parsing: bytes.flipping(bit), of: fixture.owner) != book)
        }
    }

    @Test("random bytes are no book, and cost no more than they are long", arguments: [1, 2] as [UInt8])
    func random(version: UInt8) throws {
        for count in [0, 3, 4, 5, 100, 10_000] {
            let noise = try RandomBytes.make(count: count)
            #expect(PeerKeyBook(parsing: noise, version: version, of: fixture.owner)?.users.isEmpty ?? true)
        }
        #expect(PeerKeyBook(parsing: [0xFF, 0xFF, 0xFF, 0xFF], version: version, of: fixture.owner) == nil)
    }

    @Test("what no history leads to is refused")
    func impossible() {
        let (a, b) = (fixture.keys[0].bytes, fixture.keys[1].bytes)
        let account = fixture.account.key.bytes
        func parse(
            flags: UInt8, anchor: [UInt8] = [], pin: UInt8 = 0, pinned: [UInt8] = [], older: [[UInt8]] = [],
            rest: [UInt8] = []
        ) -> PeerKeyBook? {
            var writer = ByteWriter()
            writer.number(1, bytes: 4)
            writer.id(fixture.bob)
            writer.byte(flags)
            writer.bytes(anchor)
            writer.number(1, bytes: 2)
            writer.id(fixture.phone.device)
            writer.byte(pin)
            if pin & 1 != 0 { writer.number(5, bytes: 8) }
            writer.byte(UInt8(older.count))
            for key in [pinned] + older { writer.bytes(key) }
            writer.bytes(rest)
            return PeerKeyBook(parsing: writer.bytes, of: fixture.owner)
        }
        #expect(parse(flags: 0, pinned: a, older: [b]) != nil)
        #expect(parse(flags: 3, anchor: account, pin: 1, pinned: a) != nil)
        #expect(parse(flags: 4, pinned: a, rest: [0, 0]) != nil)
        #expect(parse(flags: 0, pinned: a, older: [a]) == nil, "the pinned key twice")
        #expect(parse(flags: 0, pinned: a, older: [b, b]) == nil)
        #expect(parse(flags: 0, pinned: a, older: (2..<11).map { fixture.keys[$0].bytes }) == nil)
        #expect(parse(flags: 0, pinned: [UInt8](repeating: 0, count: 32)) == nil, "a weak key")
        #expect(parse(flags: 2, pinned: a) == nil, "verified, and nothing that was compared")
        #expect(parse(flags: 0, pin: 1, pinned: a) == nil, "certified by nobody")
        #expect(parse(flags: 0, pin: 2, pinned: a) == nil)
        #expect(parse(flags: 16, pinned: a) == nil)
        #expect(parse(flags: 8, pinned: a) == nil, "an account key of no listing")
        var certified = ByteWriter()
        certified.number(1, bytes: 2)
        certified.id(fixture.phone.device)
        certified.byte(1)
        certified.bytes(a)
        certified.number(5, bytes: 8)
        #expect(parse(flags: 12, pinned: a, rest: account + certified.bytes) != nil)
        #expect(parse(flags: 4, pinned: a, rest: certified.bytes) == nil, "certified, and no account key is listed")
    }
}

@Suite("A book of keys of version 1")
struct PeerKeyBookVersion1Tests {
    private let fixture: BookFixture

    init() throws { fixture = try BookFixture() }

    /// As version 1 wrote it: Bob's phone with a key that waits and an older one, the laptop pinned, the old device
    /// removed, and one whose keys were not used.
    private var bytes: [UInt8] {
        let keys = fixture.keys
        var writer = ByteWriter()
        writer.number(1, bytes: 4)
        writer.id(fixture.bob)
        writer.number(3, bytes: 2)
        writer.id(fixture.laptop.device)
        writer.bytes([0, 0] + keys[1].bytes)
        writer.id(DeviceID(validated: "old"))
        writer.byte(1)
        writer.number(77, bytes: 8)
        writer.bytes([0] + keys[2].bytes)
        writer.id(fixture.phone.device)
        writer.bytes([2] + keys[4].bytes + [1] + keys[3].bytes + keys[0].bytes)
        writer.number(1, bytes: 2)
        writer.id(DeviceID(validated: "tv"))
        writer.byte(1)
        return writer.bytes
    }

    @Test("it is carried over: pins stay, what waited waits on, and the users are those without an account key")
    func carriedOver() throws {
        let keys = fixture.keys
        var book = try #require(PeerKeyBook(parsing: bytes, version: 1, of: fixture.owner))
        #expect(book.accountKey(of: fixture.bob) == nil && book.isKnown(fixture.bob) && book.isHeld(fixture.bob))
        #expect(fixture.sealed(book) == [fixture.laptop: keys[1]] && fixture.leftOut(book) == [fixture.phone])
        #expect(book.knownKeys(of: fixture.phone) == [keys[3], keys[0]])
        #expect(book.knownKeys(of: device("bob/old")) == [keys[2]])
        #expect(PeerKeyBook(parsing: book.encoded, of: fixture.owner) == book)
        // A removed device has to bring the same key.
        #expect(
            book.update(with: fixture.bare([("laptop", 1), ("old", 9)])) == [
                .deviceHeld(device("bob/old"), isNew: false)
            ])
        let account = try fixture.certified([("laptop", 1, 1)], by: fixture.account)
        #expect(book.update(with: account) == [.accountKeyAppeared(fixture.bob)])
        #expect(fixture.sealed(book) == [fixture.laptop: keys[1]])
    }

    @Test("no part of it is a book, and no other version is read as it")
    func damaged() {
        let bytes = bytes
        for count in 0..<bytes.count {
            #expect(PeerKeyBook(parsing: Array(bytes.prefix(count)), version: 1, of: fixture.owner) == nil)
        }
        #expect(PeerKeyBook(parsing: bytes + [0], version: 1, of: fixture.owner) == nil)
        #expect(PeerKeyBook(parsing: bytes, of: fixture.owner) == nil)
    }

    @Test("its file is read, and the next change writes the new version")
    func file() throws {
        let position = try TemporaryDirectory()
        let directory = position.directory(of: fixture.owner)
        let storageKey = try SecretBytes.random(count: 32)
        try directory.make()
        try directory.overwrite(directory.peersPath, with: try sealedFile(storageKey))
        var peers = try PeerKeys(in: directory, storageKey: storageKey)
        #expect(fixture.sealed(peers.book) == [fixture.laptop: fixture.keys[1]])
        #expect(try directory.bytes(directory.peersPath)[8] == 1)
        _ = try peers.update(with: fixture.bare([("laptop", 1)]))
        #expect(try directory.bytes(directory.peersPath)[8] == 2)
        #expect(try PeerKeys(in: directory, storageKey: storageKey).book == peers.book)
    }

    /// PARLEYPK, 1, nonce, sealed under BLAKE2b-256 of the label keyed with the storage key; before the nonce and the
    /// device's address as associated data.
    private func sealedFile(_ storageKey: SecretBytes) throws -> [UInt8] {
        let label = Array("parley/v1 peers".utf8)
        let derived = try storageKey.withBytes { (key) throws(SodiumError) in
            try BLAKE2b.hash(label.span, length: .bytes32, key: key)
        }
        let header = Array("PARLEYPK".utf8) + [1]
        var data = ByteWriter()
        data.bytes(header)
        data.address(fixture.owner)
        let nonce = try RandomBytes.make(count: XChaCha20Poly1305.nonceLength)
        let (content, associated) = (bytes, data.bytes)
        return header + nonce
            + (try XChaCha20Poly1305.seal(
                content.span, nonce: nonce.span, additionalData: associated.span, key: derived.span))
    }
}
