import GRDB
import ParleyProtocol

extension WriteTransaction {
    /// Appends a message to the queue.
    ///
    /// - Returns: `false` if its id is queued already, or is a sent message's.
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

    /// Appends a message of another file to the queue, if it is whole.
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

    /// Stores another content of a message that was not sent; it is sealed anew.
    @discardableResult
    package func setContent(_ content: [UInt8], of id: MessageID) throws -> Bool {
        guard let (position, conversation) = try position(of: id) else { return false }
        let sealed = try cipher.seal(content, at: .queue(.content, position: position, id, conversation))
        try database.run(
            "UPDATE queue SET sealed_content = ?, sealed_request = NULL WHERE id = ?", [sealed, id.blob])
        return true
    }

    /// Stores the request before it is sent, or sealed again; `nil` deletes it.
    ///
    /// - Returns: whether the message is in the queue, as in the functions below.
    @discardableResult
    package func setRequest(_ request: [UInt8]?, of id: MessageID) throws -> Bool {
        guard let (position, conversation) = try position(of: id) else { return false }
        let sealed = try request.map {
            try cipher.seal($0, at: .queue(.request, position: position, id, conversation))
        }
        try database.run("UPDATE queue SET sealed_request = ? WHERE id = ?", [sealed, id.blob])
        return true
    }

    /// Moves a message of this device from the queue to the log.
    ///
    /// - Returns: the result in the log, and whether it was queued.
    package func finish(_ message: StoredMessage) throws -> (insertion: Insertion, wasQueued: Bool) {
        let wasQueued = try discard(message.position.id)
        return (try insert(message), wasQueued)
    }

    /// Marks a message as failed, so that later ones can be sent.
    @discardableResult
    package func fail(_ id: MessageID, reason: String) throws -> Bool {
        guard let (position, conversation) = try position(of: id) else { return false }
        let sealed = try cipher.seal(
            Array(reason.utf8), at: .queue(.reason, position: position, id, conversation))
        try database.run("UPDATE queue SET is_set_aside = 1, sealed_reason = ? WHERE id = ?", [sealed, id.blob])
        return true
    }

    /// Puts a failed message back at its position.
    @discardableResult
    package func retry(_ id: MessageID) throws -> Bool {
        try database.run("UPDATE queue SET is_set_aside = 0, sealed_reason = NULL WHERE id = ?", [id.blob])
        return database.changesCount > 0
    }

    @discardableResult
    package func discard(_ id: MessageID) throws -> Bool {
        try database.run("DELETE FROM queue WHERE id = ?", [id.blob])
        return database.changesCount > 0
    }

    func nextPosition(in table: String) throws -> Int {
        let last = try database.row("SELECT coalesce(max(position), 0) FROM \(table)")?.integer(0) ?? 0
        let (position, overflow) = last.addingReportingOverflow(1)
        guard !overflow else { throw DamagedRowError() }
        return position
    }

    private func position(of id: MessageID) throws -> (position: Int, conversation: ConversationID)? {
        try database.row("SELECT position, conversation FROM queue WHERE id = ?", [id.blob])
            .map { (try $0.integer(0), try $0.uuid(1)) }
    }
}
