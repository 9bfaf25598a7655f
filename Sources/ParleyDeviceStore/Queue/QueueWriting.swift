import GRDB
import ParleyProtocol

extension WriteTransaction {
    /// Puts a message at the end of the queue.
    ///
    /// - Returns: whether it was; not if its id waits there already, or is that of a message that was sent.
    @discardableResult
    package func enqueue(_ id: MessageID, in conversation: ConversationID, content: [UInt8]) throws -> Bool {
        guard try database.row("SELECT 1 FROM queue WHERE id = ?", [id.blob]) == nil,
            try facts.message(id, in: conversation) == nil
        else { return false }
        let position = try nextPosition(in: "queue")
        try database.run(
            "INSERT INTO queue (position, id, conversation, sealed_content) VALUES (?, ?, ?, ?)",
            [
                position, id.blob, conversation.blob,
                try cipher.seal(content, at: .queue(.content, position: position, id, conversation)),
            ])
        return true
    }

    /// Puts a message of another file at the end of the queue, as far as it is whole.
    func enqueue(rescued message: QueuedMessage) throws -> Bool {
        guard let content = message.content,
            try enqueue(message.id, in: message.conversation, content: content)
        else { return false }
        if let request = message.request { try setRequest(request, of: message.id) }
        switch message.state {
        case .pending: break
        case .failed(let reason): try fail(message.id, reason: reason)
        }
        return true
    }

    /// Keeps the bytes that are about to be sent for the first time, or sealed anew; `nil` forgets them.
    ///
    /// - Returns: whether the message is in the queue, as in all that follow.
    @discardableResult
    package func setRequest(_ request: [UInt8]?, of id: MessageID) throws -> Bool {
        guard let (position, conversation) = try place(of: id) else { return false }
        let sealed = try request.map {
            try cipher.seal($0, at: .queue(.request, position: position, id, conversation))
        }
        try database.run("UPDATE queue SET sealed_request = ? WHERE id = ?", [sealed, id.blob])
        return true
    }

    /// A message of this device is in the log: it is kept there, and leaves the queue if it waits in it.
    ///
    /// - Returns: what became of it in the log, and whether it waited.
    package func finish(_ message: StoredMessage) throws -> (insertion: Insertion, wasQueued: Bool) {
        let wasQueued = try discard(message.place.id)
        return (try insert(message), wasQueued)
    }

    /// Takes a message out of the order, so that those behind it go on.
    ///
    /// - Parameter reason: for people.
    @discardableResult
    package func fail(_ id: MessageID, reason: String) throws -> Bool {
        guard let (position, conversation) = try place(of: id) else { return false }
        let sealed = try cipher.seal(
            Array(reason.utf8), at: .queue(.reason, position: position, id, conversation))
        try database.run("UPDATE queue SET is_set_aside = 1, sealed_reason = ? WHERE id = ?", [sealed, id.blob])
        return true
    }

    /// Puts a failed message back to its old place.
    @discardableResult
    package func retry(_ id: MessageID) throws -> Bool {
        try database.run("UPDATE queue SET is_set_aside = 0, sealed_reason = NULL WHERE id = ?", [id.blob])
        return database.changesCount > 0
    }

    /// Takes a message out of the queue for good.
    @discardableResult
    package func discard(_ id: MessageID) throws -> Bool {
        try database.run("DELETE FROM queue WHERE id = ?", [id.blob])
        return database.changesCount > 0
    }

    /// The position behind all that wait.
    func nextPosition(in table: String) throws -> Int {
        let last = try database.row("SELECT coalesce(max(position), 0) FROM \(table)")?.integer(0) ?? 0
        let (position, overflow) = last.addingReportingOverflow(1)
        guard !overflow else { throw DamagedRowError() }
        return position
    }

    private func place(of id: MessageID) throws -> (position: Int, conversation: ConversationID)? {
        try database.row("SELECT position, conversation FROM queue WHERE id = ?", [id.blob])
            .map { (try $0.integer(0), try $0.uuid(1)) }
    }
}
