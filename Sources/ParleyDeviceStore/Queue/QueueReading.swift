import GRDB
import ParleyProtocol

private let columns = "id, conversation, position, is_set_aside, sealed_content, sealed_request, sealed_reason"

extension Snapshot {
    /// A waiting or failed message.
    package func queued(_ id: MessageID) throws -> QueuedMessage? { try queued("WHERE id = ?", [id.blob]).first }

    /// The whole queue, in order.
    package func queued() throws -> [QueuedMessage] { try queued("ORDER BY position", []) }

    /// The queue of one conversation, in order.
    package func queued(in conversation: ConversationID) throws -> [QueuedMessage] {
        try queued("WHERE conversation = ? ORDER BY position", [conversation.blob])
    }

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
        func open(_ column: SealedCell.QueueColumn, _ index: Int) throws(DamagedRowError) -> [UInt8]? {
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
    /// In order of writing.
    package let position: Int
    package let state: State
    /// The owner's encoding, opaque here. `nil` if it is damaged, and the message cannot be sent.
    package let content: [UInt8]?
    /// The request, to be repeated with the same bytes. `nil` if it was never sent, or is damaged: then the message is
    /// sealed again, and answered with `conflict` if the first request had arrived.
    package let request: [UInt8]?

    package enum State: Hashable, Sendable {
        case pending
        /// Not sent until `retry`. `reason` is empty if it is damaged.
        case failed(reason: String)
    }
}
