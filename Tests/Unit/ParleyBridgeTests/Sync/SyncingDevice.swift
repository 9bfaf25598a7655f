import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// A device that knows `sync/get` and nothing else: what it has of each conversation, and where it is.
struct SyncingDevice {
    let user: UserID
    /// By seq, what it has of each conversation.
    var logs: [ConversationID: [Int: MessageRecord]] = [:]
    var cursors: [ConversationID: SyncRequest.Cursor] = [:]
    /// The place after which it has all there is.
    var baselines: [ConversationID: Int] = [:]
    /// What it was last told of each conversation.
    var standings: [ConversationID: SyncedConversation] = [:]
    var pages: [SyncReply] = []

    /// A page that brought nothing, though something was left to come.
    struct StandstillError: Error {}

    init(_ user: UserID) { self.user = user }

    /// Asks until nothing is left to come.
    ///
    /// - Parameter followsCursor: whether it knows `next_cursor`.
    mutating func catchUp(_ store: Store, limit: Int = 200, followsCursor: Bool = true) throws {
        var cursor: String?
        pages = []
        repeat {
            let page = try sync(SyncRequest(cursors: cursors, limit: limit, cursor: cursor), for: user, store)
            let before = cursors
            take(page)
            // Every page brings it on, or is the last.
            guard cursors != before || page.isComplete else { throw StandstillError() }
            cursor = followsCursor ? page.nextCursor : nil
            if page.isComplete, cursor == nil { return }
        } while true
    }

    mutating func take(_ page: SyncReply) {
        pages.append(page)
        for id in page.left {
            forget(id)
            standings[id] = nil
        }
        for conversation in page.conversations {
            let id = conversation.id
            standings[id] = conversation
            guard conversation.isRecovered else {
                forget(id)
                continue
            }
            if conversation.conversation != nil {
                baselines[id] = (conversation.messages.first?.seq ?? conversation.lastSeq + 1) - 1
            }
            for record in conversation.messages { logs[id, default: [:]][record.seq] = record }
            let reached = conversation.messages.last?.seq ?? cursors[id]?.seq ?? conversation.lastSeq
            cursors[id] = SyncRequest.Cursor(epoch: conversation.epoch, seq: reached)
        }
    }

    private mutating func forget(_ id: ConversationID) {
        cursors[id] = nil
        logs[id] = nil
        baselines[id] = nil
    }

    func seqs(_ id: ConversationID) -> [Int] { (logs[id] ?? [:]).keys.sorted() }
}

/// A page as its caller reads it.
func sync(_ request: SyncRequest, for user: UserID, _ store: Store, now: Timestamp = at(0)) throws -> SyncReply {
    let page = try store.read { snapshot throws in
        // The store makes its own of any error.
        Result { try SyncPage.read(request, for: user, snapshot, seal: try CursorSealTests.seal(), now: now) }
    }.get()
    var writer = JSONWriter()
    page.write(to: &writer)
    let bytes = writer.finish()
    // With the reply around it, far below what a packet may have.
    #expect(bytes.count < Limits.packetBytes - 4096)
    return try SyncReply(json: bytes)
}
