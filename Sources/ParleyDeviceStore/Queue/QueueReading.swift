import GRDB
import ParleyProtocol

private let columns = "id, conversation, position, is_set_aside, sealed_content, sealed_request, sealed_reason"

extension Snapshot {
    /// A message that waits or has failed.
    package func queued(_ id: MessageID) throws -> QueuedMessage? { try queued("WHERE id = ?", [id.blob]).first }

    /// The whole queue, in order.
    package func queued() throws -> [QueuedMessage] { try queued("ORDER BY position", []) }

    /// The queue of one conversation, in order.
    package func queued(in conversation: ConversationID) throws -> [QueuedMessage] {
        try queued("WHERE conversation = ? ORDER BY position", [conversation.blob])
    }

    /// The first message behind a position.
    func queued(after position: Int) throws -> QueuedMessage? {
        try queued("WHERE position > ? ORDER BY position LIMIT 1", [position]).first
    }

    private func queued(_ clauses: String, _ arguments: StatementArguments) throws -> [QueuedMessage] {
        try database.map("SELECT \(columns) FROM queue \(clauses)", arguments) { try QueuedMessage($0, cipher) }
    }
}

extension QueuedMessage {
    fileprivate init(_ row: Row, _ cipher: RowCipher) throws(DamagedRowError) {
        let id: MessageID = try row.uuid(0)
        let conversation: ConversationID = try row.uuid(1)
        let position = try row.integer(2)
        func open(_ column: SealedPlace.QueueColumn, _ index: Int) throws(DamagedRowError) -> [UInt8]? {
            guard let sealed = try row.optionalBytes(index) else { return nil }
            return cipher.open(sealed, at: .queue(column, position: position, id, conversation))
        }
        let hasFailed = try row.integer(3) != 0
        let reason = try open(.reason, 6) ?? []
        self.init(
            id: id, conversation: conversation, position: position,
            state: hasFailed ? .failed(reason: String(decoding: reason, as: UTF8.self)) : .pending,
            content: try open(.content, 4), request: try open(.request, 5))
    }
}

/// A message that waits to be sent.
package struct QueuedMessage: Hashable, Sendable {
    package let id: MessageID
    package let conversation: ConversationID
    /// Its place in the order in which messages were written.
    package let position: Int
    package let state: State
    /// What is to be sent, as the owner of the store codes it; opaque here. `nil`: what is in the file is not what was
    /// put there, and the message cannot be sent any more.
    package let content: [UInt8]?
    /// The bytes that were first sent, to be repeated as they are. `nil`: none were, or they are damaged: then the
    /// message is sealed anew, which is answered `conflict` if the first did arrive.
    package let request: [UInt8]?

    package enum State: Hashable, Sendable {
        case pending
        /// Not to be tried until `retry`; `reason` is for people, and empty if it is damaged.
        case failed(reason: String)
    }
}
