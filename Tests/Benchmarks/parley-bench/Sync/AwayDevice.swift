import GatewaySite
import Foundation
import Platform
import ParleyBridge
import ParleyProtocol
import ParleyRules
import ParleyStore

/// A device that was away, and the store of the gateway that brings it up to date, with no broker between them.
final class AwayDevice {
    let conversations: Int
    let missed: Int
    private let directory: DataDirectory
    private let store: Store
    private let seal: CursorSeal
    private let address: DeviceAddress
    /// How far it has each conversation.
    private let known: [ConversationID: SyncRequest.Cursor]

    /// What bringing it up to date took.
    struct CatchUp {
        var pages = 0
        var records = 0
        var conversations = 0
        var bytes = 0
        /// Inside the gateway, in nanoseconds.
        var taken: Int64 = 0
        /// Of these, those in which it had a processor.
        var processor: Int64 = 0
    }

    init(conversations: Int, missed: Int, scratch: String, stop: StopFlag) throws {
        self.conversations = conversations
        self.missed = missed
        directory = DataDirectory(path: try Site.temporaryDirectory(in: scratch))
        try directory.prepare()
        store = try Store(path: directory.database)
        let tokens = TokenIssuer(key: try directory.readSigningKey())
        seal = try CursorSeal(tokens)
        var filled = FilledStore(conversations: conversations, messages: max(missed, conversations) * 2)
        try filled.fill(store, tokens, stop: stop)
        // Most of a gateway's database is not in its log.
        try store.checkpoint()
        guard let reader = filled.reader else { throw SiteError.badName }
        address = reader.address
        let (store, all) = (store, missed == 0)
        known = try filled.ids.reduce(into: [:]) { known, id in
            let facts = try store.read { try $0.conversations.conversation(id)?.facts }
            known[id] = facts.map { SyncRequest.Cursor(epoch: $0.epoch, seq: all ? $0.lastSeq : $0.lastSeq / 2) }
        }
    }

    func close() { Site.remove(directory) }

    /// Asks page by page, until nothing is missing and all conversations were told of.
    func catchUp() throws -> CatchUp {
        var result = CatchUp()
        var cursors = known
        var told: Set<ConversationID> = []
        var cursor: String?
        while true {
            let payload = SyncRequest(cursors: cursors, cursor: cursor).payload()
            let (begun, processor) = (MonotonicTime.now, ThreadTime.now)
            let reply = try answer(payload)
            result.taken += MonotonicTime.now - begun
            result.processor += ThreadTime.now - processor
            result.pages += 1
            result.bytes += reply.count
            // The work of the device is not measured.
            guard let data = try JSONObject(parsing: reply).object("data") else { throw LoadError.missing("data") }
            let page = try SyncReply(members: data)
            for conversation in page.conversations {
                told.insert(conversation.id)
                result.records += conversation.messages.count
                guard let last = conversation.messages.last else { continue }
                cursors[conversation.id] = SyncRequest.Cursor(epoch: conversation.epoch, seq: last.seq)
            }
            cursor = page.nextCursor
            guard page.isComplete, cursor == nil else { continue }
            result.conversations = told.count
            guard result.records >= missed, result.conversations == conversations else {
                throw LoadError.missing("record")
            }
            return result
        }
    }

    /// From the bytes of a request to those of its reply.
    private func answer(_ payload: [UInt8]) throws -> [UInt8] {
        let request = try SyncRequest(members: try JSONObject(parsing: payload))
        let page = try store.read { snapshot in
            try SyncPage.read(request, for: address.user, snapshot, seal: seal, now: .systemNow)
        }
        var writer = JSONWriter()
        Reply.writeAccepted(nil, to: &writer) { page.write(to: &$0) }
        return writer.finish()
    }

    func row(_ runs: [CatchUp]) -> [String] {
        guard let first = runs.first, let taken = Spread(runs.map { Double($0.taken) / 1e6 }),
            let processor = Spread(runs.map { Double($0.processor) / 1e6 })
        else { return [] }
        return [
            "\(conversations)", "\(missed)", "\(first.pages)", (Double(first.bytes) / 1024).formatted(0),
            Optional(taken).formatted(1), Optional(processor).formatted(1),
            (processor.median / Double(first.pages)).formatted(2),
            (processor.median * 1000 / Double(first.records + first.conversations)).formatted(2),
        ]
    }
}
