import ParleyProtocol
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyStore

@Suite("Blobs in the store", .onEveryStore)
final class BlobStoreTests: ConversationSuite {
    private let phone = device("alice", "phone")

    /// Inserts a blob that waits for a message.
    private func insert(
        _ id: BlobID = .random(), by maker: UserID = "alice", until end: Int64 = 100
    ) throws -> StoredBlob {
        let stored = try StoredBlob.test(id, of: self.id, by: maker, until: at(end))
        try store.write { [conversation = self.id] transaction in
            let key = try transaction.facts.existing(conversation).key
            try transaction.blobs.insert(stored, in: key, digest: [UInt8](repeating: 2, count: 16))
        }
        return stored
    }

    /// Appends a message that names these.
    @discardableResult
    private func name(_ ids: [BlobID]) throws -> MessageRecord {
        try store.write { [id, phone] transaction in
            let record = try transaction.append(to: id, from: phone)
            try transaction.blobs.name(ids, by: record, in: try transaction.facts.existing(id).key)
            return record
        }
    }

    private func row(_ id: BlobID) throws -> BlobRow? { try store.read { try $0.blobs.blob(id) } }

    @Test("a blob is read as it was written, and then as the message that names it has it")
    func named() throws {
        let stored = try insert()
        let first = try #require(try row(stored.blob.id))
        #expect(first.stored == stored && !first.isWithheld)
        #expect(first.digest == [UInt8](repeating: 2, count: 16))
        let record = try name([stored.blob.id])
        let second = try #require(try row(stored.blob.id)).stored
        #expect(second.seq == record.seq && second.disappearsAt == nil && second.blob.expiresAt == nil)
        let disappearing = try insert()
        let message = SendMessage(
            id: .random(), conversation: id, type: .file, suite: .naclBox, content: [UInt8](repeating: 7, count: 32),
            nonce: [UInt8](repeating: 9, count: 24), expiresIn: 5)
        try store.write { [id, phone] transaction in
            let record = MessageRecord(message, sender: phone, epoch: "epoch", seq: 9, createdAt: at(0))
            let conversation = try transaction.facts.existing(id).key
            try transaction.blobs.name([disappearing.blob.id], by: record, in: conversation)
        }
        let third = try #require(try row(disappearing.blob.id)).stored
        #expect(third.disappearsAt == at(5000) && third.blob.expiresAt == at(5000))
        #expect(try row(.random()) == nil)
        let ids = [stored.blob.id, .random(), disappearing.blob.id]
        #expect(try store.read { try $0.blobs.known(ids) } == [stored.blob.id, disappearing.blob.id])
        #expect(try store.read { try $0.blobs.known([]) } == [])
    }

    @Test("what is shown to its sender alone is marked")
    func withheld() throws {
        let stored = try insert()
        try name([stored.blob.id])
        try store.execute("UPDATE records SET withheld = 1")
        #expect(try row(stored.blob.id)?.isWithheld == true)
    }

    @Test("no blob is named twice, or when it is gone")
    func namedOnce() throws {
        let (named, gone) = (try insert(), try insert())
        try name([named.blob.id])
        #expect(try store.write { try $0.blobs.discard([gone.blob.id], at: at(7)) } == 1)
        for id in [named.blob.id, gone.blob.id, .random()] {
            #expect(throws: StoreError.self) { try name([id]) }
        }
        #expect(try row(named.blob.id)?.stored.seq == 1)
    }

    @Test("those of a user that wait are counted, with the end of the first")
    func unnamed() throws {
        #expect(try store.read { try $0.blobs.unnamed(of: "alice") }.count == 0)
        let blobs = try [300, 200, 400, 100].map { try insert(until: $0) }
        _ = try insert(by: "bob", until: 1)
        try name([blobs[1].blob.id])
        #expect(try store.write { try $0.blobs.discard([blobs[3].blob.id], at: at(0)) } == 1)
        let unnamed = try store.read { try $0.blobs.unnamed(of: "alice") }
        #expect(unnamed == CreateBlobRule.UnnamedBlobs(count: 2, firstEnd: at(300)))
        try store.write { try $0.blobs.discardUnnamed(of: "alice", at: at(9)) }
        #expect(try store.read { try $0.blobs.unnamed(of: "alice") }.count == 0)
        #expect(try store.read { try $0.blobs.unnamed(of: "bob") }.count == 1)
        #expect(try row(blobs[1].blob.id) != nil)
    }

    @Test("what disappears is gone, the first first, and no more at once than is asked for")
    func disappears() throws {
        let blobs = try [30, 10, 20].map { try insert(until: $0) }
        let ids = blobs.map(\.blob.id)
        #expect(try store.read { try $0.blobs.nextEnd() } == at(10))
        #expect(try store.write { try $0.blobs.discardDisappeared(at: at(9), limit: 9) } == 0)
        #expect(try store.write { try $0.blobs.discardDisappeared(at: at(30), limit: 2) } == 2)
        #expect(try Set(store.read { try $0.blobs.gone(limit: 9) }) == [ids[1], ids[2]])
        #expect(try store.read { try $0.blobs.nextEnd() } == at(30))
        #expect(try store.write { try $0.blobs.discardDisappeared(at: at(31), limit: 2) } == 1)
        #expect(try store.read { try $0.blobs.nextEnd() } == nil)
        #expect(try store.read { try $0.blobs.gone(limit: 9) }.last == ids[0])
        #expect(try store.read { try $0.blobs.gone(limit: 1) }.count == 1)
        #expect(try store.read { try $0.blobs.firstGone() } == at(30))
    }

    @Test("the blobs of a deleted message are gone, and those of others are not")
    func deleted() throws {
        let (one, other) = (try insert(), try insert())
        let record = try name([one.blob.id])
        try name([other.blob.id])
        let gone = try store.write { [id] transaction in
            let conversation = try transaction.facts.existing(id).key
            let first = try transaction.blobs.discard(seq: record.seq, in: conversation, at: at(8))
            return [first, try transaction.blobs.discard(seq: record.seq, in: conversation, at: at(9))]
        }
        #expect(gone == [1, 0])
        #expect(try store.read { try $0.blobs.gone(limit: 9) } == [one.blob.id])
        #expect(try row(one.blob.id) == nil && row(other.blob.id) != nil)
    }

    @Test("what is gone is to be removed once, and its id is forgotten when it has been so for long")
    func forgotten() throws {
        let blobs = try (0..<4).map { _ in try insert() }.map(\.blob.id)
        try store.write { transaction in
            for (index, id) in blobs.dropLast().enumerated() {
                #expect(try transaction.blobs.discard([id], at: at(Int64(index))) == 1)
            }
            // Once gone it stays so since then.
            #expect(try transaction.blobs.discard([blobs[0], .random()], at: at(50)) == 0)
            try transaction.blobs.recordRemoved([blobs[1], blobs[3], .random()])
        }
        #expect(try store.read { try $0.blobs.known(blobs) } == [blobs[0], blobs[2], blobs[3]])
        #expect(try store.read { try $0.blobs.gone(limit: 9) } == [blobs[0], blobs[2]])
        #expect(try store.read { try $0.blobs.gone(among: blobs) } == Set(blobs.dropLast()))
        #expect(try store.write { try $0.blobs.forgetGone(before: at(0), limit: 9) } == 0)
        #expect(try store.write { try $0.blobs.forgetGone(before: at(1), limit: 9) } == 1)
        #expect(try store.write { try $0.blobs.forgetGone(before: at(99), limit: 9) } == 2)
        #expect(try store.read { try $0.blobs.known(blobs) } == [blobs[3]])
    }
}

extension StoredBlob {
    /// A blob that waits for a message.
    static func test(
        _ id: BlobID = .random(), of conversation: ConversationID, by maker: UserID, until end: Timestamp
    ) throws -> StoredBlob {
        let digest = try #require(BlobDigest([UInt8](repeating: 6, count: 32)))
        let blob = Blob(
            id: id, conversation: conversation, size: 100, digest: digest, createdAt: at(0), expiresAt: end)
        return StoredBlob(blob: blob, maker: maker, disappearsAt: end)
    }
}
