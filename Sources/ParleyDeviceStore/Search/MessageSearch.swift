import GRDB
import ParleyProtocol

/// The search index: built at the first search, from the newest message back, and updated by later writes.
///
/// The indexed text is bounded: building stops at `textLimit` bytes and leaves out the oldest messages, and an index
/// that has taken in twice as much, by edits, is rebuilt at the next search.
final class MessageSearch {
    /// In bytes of UTF-8.
    static let textLimit = 32 << 20

    private let searchable: @Sendable ([UInt8]) -> SearchableText?
    private let textLimit: Int
    /// `nil` before the first search, and after the index failed or grew too large.
    private var built: Built?
    /// The indexed bytes, also of messages that were deleted or changed since.
    private var textTaken = 0

    private struct Built {
        let index: SearchIndex
        /// Messages from this key on are indexed.
        let first: Int
    }

    init(textLimit: Int, searchable: @escaping @Sendable ([UInt8]) -> SearchableText?) {
        (self.textLimit, self.searchable) = (textLimit, searchable)
    }

    private func build(from snapshot: Snapshot) throws -> Built {
        let index = try SearchIndex()
        var first = Int.max
        textTaken = 0
        try index.write { writing in
            let rows = try snapshot.database.rows("SELECT \(messageColumns) FROM messages ORDER BY key DESC")
            while textTaken < textLimit, let row = try rows.next() {
                first = try row.integer(0)
                try put(try CachedMessage(row, snapshot.cipher), key: first, writing)
            }
        }
        return Built(index: index, first: textTaken < textLimit ? .min : first)
    }

    private func put(_ message: CachedMessage, key: Int, _ writing: SearchIndex.Writing) throws {
        switch message {
        case .whole(let message):
            if let searchable = searchable(message.payload) {
                try writing.put(key: key, message.position.conversation, searchable)
                textTaken += searchable.text.utf8.count
            } else {
                try writing.remove(key: key)
            }
        case .damaged: try writing.remove(key: key)
        }
    }

    /// Indexes the writes of a transaction. After a failure the index is dropped and rebuilt later: the transaction is
    /// committed already.
    func follow(_ changes: IndexChanges) {
        guard let built, !changes.changes.isEmpty else { return }
        do {
            try built.index.write { writing in
                for change in changes.changes {
                    switch change {
                    case .put(let key, let message) where key >= built.first:
                        try put(.whole(message), key: key, writing)
                    case .put: break
                    case .remove(let key): try writing.remove(key: key)
                    }
                }
            }
            if textTaken / 2 >= textLimit { forget() }
        } catch {
            forget()
        }
    }

    func find(_ query: SearchQuery, in snapshot: Snapshot) throws -> [StoredMessage] {
        let built = try self.built ?? build(from: snapshot)
        self.built = built
        let keys = try found(query, built.index)
        return try keys.compactMap { key in
            let row = try snapshot.database.row("SELECT \(messageColumns) FROM messages WHERE key = ?", [key])
            guard case .whole(let message) = try row.map({ try CachedMessage($0, snapshot.cipher) }) else { return nil }
            return message
        }
    }

    /// FTS5's error messages quote the query: only the code is passed on.
    private func found(_ query: SearchQuery, _ index: SearchIndex) throws -> [Int] {
        do {
            return try index.find(query)
        } catch let error as DatabaseError {
            throw DeviceStoreError.sqlite(code: error.resultCode.rawValue, message: "the search index failed")
        }
    }

    /// Drops the index; the next search rebuilds it.
    func forget() { built = nil }
}
