import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyStore

extension StoreScenario {
    func blobs(in conversation: ConversationState) throws {
        let id = conversation.facts.id
        try store.write { transaction in
            let stored = try (0..<5).map { _ in try StoredBlob.test(of: id, by: "alice", until: at(9)) }
            for blob in stored {
                try transaction.blobs.insert(blob, in: conversation.key, digest: [UInt8](repeating: 2, count: 16))
            }
            let ids = stored.map(\.blob.id)
            let facts = transaction.facts
            for count in [1, 5] {
                #expect(try facts.blobs.blobs(ids.prefix(count)).count == count)
                #expect(try facts.blobs.known(ids.prefix(count)).count == count)
            }
            #expect(try facts.blobs.unnamed(of: "alice").count == 5)
            let record = try transaction.append(to: id, from: device("alice", "phone"))
            try transaction.blobs.name([ids[0]], by: record, in: conversation.key)
            #expect(try facts.blobs.nextEnd() == at(9))
            #expect(try transaction.blobs.discard(seq: record.seq, in: conversation.key, at: at(1)) == 1)
            #expect(try transaction.blobs.discard([ids[1]], at: at(2)) == 1)
            #expect(try transaction.blobs.discardDisappeared(at: at(9), limit: 1) == 1)
            try transaction.blobs.discardUnnamed(of: "alice", at: at(3))
            #expect(try facts.blobs.gone(limit: 9).count == 5)
            #expect(try facts.blobs.gone(among: ids).count == 5 && facts.blobs.known(ids).count == 5)
            #expect(try facts.blobs.firstGone() == at(1))
            try transaction.blobs.recordRemoved([ids[0]])
            #expect(try facts.blobs.gone(limit: 9).count == 4)
            #expect(try transaction.blobs.forgetGone(before: at(3), limit: 9) == 2)
        }
    }
}
