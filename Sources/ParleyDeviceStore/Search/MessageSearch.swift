import GRDB
import ParleyProtocol

/// The search index and how far it has come: nothing is indexed before somebody searches, then all that is kept, in
/// batches, and then what is written.
final class MessageSearch {
    /// Messages opened at a time while the index is built.
    static let batch = 500

    private let searchable: @Sendable ([UInt8]) -> SearchableText?
    private var state = State.unused

    private enum State {
        /// Nobody has searched, or the index failed and is to be built anew.
        case unused
        /// Messages up to this key are in it.
        case building(SearchIndex, through: Int)
        case complete(SearchIndex)
    }

    init(searchable: @escaping @Sendable ([UInt8]) -> SearchableText?) { self.searchable = searchable }

    /// Takes the next messages in, at most so many.
    ///
    /// - Returns: whether there are more.
    func index(upTo count: Int, from snapshot: Snapshot) throws -> Bool {
        let index: SearchIndex
        let through: Int
        switch state {
        case .unused: (index, through) = (try SearchIndex(), 0)
        case .building(let started, let reached): (index, through) = (started, reached)
        case .complete: return false
        }
        let count = max(1, count)
        var last = through
        var read = 0
        try index.write { writing in
            let rows = try snapshot.database.rows(
                "SELECT \(messageColumns) FROM messages WHERE key > ? ORDER BY key LIMIT ?", [through, count])
            while let row = try rows.next() {
                last = try row.integer(0)
                read += 1
                try put(try CachedMessage(row, snapshot.cipher), key: last, writing)
            }
        }
        state = read < count ? .complete(index) : .building(index, through: last)
        return read == count
    }

    private func put(_ message: CachedMessage, key: Int, _ writing: SearchIndex.Writing) throws {
        switch message {
        case .whole(let message):
            if let searchable = searchable(message.payload) {
                try writing.put(key: key, message.place.conversation, searchable)
            } else {
                try writing.remove(key: key)
            }
        case .damaged: try writing.remove(key: key)
        }
    }

    /// Takes over what a transaction has written. The index is thrown away should that fail: it can be built again, and
    /// the transaction is committed.
    func follow(_ changes: IndexChanges) {
        let index: SearchIndex
        let through: Int
        switch state {
        case .unused: return
        case .building(let started, let reached): (index, through) = (started, reached)
        case .complete(let complete): (index, through) = (complete, .max)
        }
        guard !changes.changes.isEmpty else { return }
        do {
            try index.write { writing in
                for change in changes.changes {
                    switch change {
                    case .put(let key, let message) where key <= through:
                        try put(.whole(message), key: key, writing)
                    case .put: break
                    case .remove(let key): try writing.remove(key: key)
                    }
                }
            }
        } catch {
            forget()
        }
    }

    func find(_ query: SearchQuery, in snapshot: Snapshot) throws -> [StoredMessage] {
        let keys: [Int]
        switch state {
        case .unused: keys = []
        case .building(let index, _), .complete(let index): keys = try found(query, index)
        }
        return try keys.compactMap { key in
            let row = try snapshot.database.row("SELECT \(messageColumns) FROM messages WHERE key = ?", [key])
            guard case .whole(let message) = try row.map({ try CachedMessage($0, snapshot.cipher) }) else { return nil }
            return message
        }
    }

    /// What FTS5 says of a failure quotes the query: only its number leaves.
    private func found(_ query: SearchQuery, _ index: SearchIndex) throws -> [Int] {
        do {
            return try index.find(query)
        } catch let error as DatabaseError {
            throw DeviceStoreError.sqlite(code: error.resultCode.rawValue, message: "the search index failed")
        }
    }

    /// Frees the index; the next search builds it anew.
    func forget() { state = .unused }
}
