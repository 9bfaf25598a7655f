import GRDB
import ParleyProtocol

/// The search index and how far it has come: nothing is indexed before somebody searches, then what is kept, in batches
/// from the newest back, and then what is written.
///
/// Memory is bounded by the text that is taken in: building stops at `textLimit` bytes, with the oldest messages left out,
/// and an index that has taken in twice as much, edits and all, is thrown away and built anew at the next search.
final class MessageSearch {
    /// Messages opened at a time while the index is built.
    static let batch = 500
    /// In bytes of UTF-8.
    static let textLimit = 32 << 20

    private let searchable: @Sendable ([UInt8]) -> SearchableText?
    private let textLimit: Int
    private var state = State.unused
    /// How much text the index was given, also of messages that are gone or were changed since.
    private var textTaken = 0

    private enum State {
        /// Nobody has searched, or the index failed or grew too large.
        case unused
        /// Messages from this key on are in it.
        case building(SearchIndex, from: Int)
        /// So they are, and those before are not to be.
        case complete(SearchIndex, from: Int)
    }

    init(textLimit: Int, searchable: @escaping @Sendable ([UInt8]) -> SearchableText?) {
        self.textLimit = textLimit
        self.searchable = searchable
    }

    /// Takes the next messages in, at most so many.
    ///
    /// - Returns: whether there are more.
    func index(upTo count: Int, from snapshot: Snapshot) throws -> Bool {
        let index: SearchIndex
        var first: Int
        switch state {
        case .unused: (index, first, textTaken) = (try SearchIndex(), .max, 0)
        case .building(let started, let reached): (index, first) = (started, reached)
        case .complete: return false
        }
        let count = max(1, count)
        var read = 0
        try index.write { writing in
            let rows = try snapshot.database.rows(
                "SELECT \(messageColumns) FROM messages WHERE key < ? ORDER BY key DESC LIMIT ?", [first, count])
            while textTaken < textLimit, let row = try rows.next() {
                first = try row.integer(0)
                read += 1
                try put(try CachedMessage(row, snapshot.cipher), key: first, writing)
            }
        }
        if textTaken >= textLimit {
            state = .complete(index, from: first)
        } else if read < count {
            state = .complete(index, from: .min)
        } else {
            state = .building(index, from: first)
        }
        if case .building = state { return true }
        return false
    }

    private func put(_ message: CachedMessage, key: Int, _ writing: SearchIndex.Writing) throws {
        switch message {
        case .whole(let message):
            if let searchable = searchable(message.payload) {
                try writing.put(key: key, message.place.conversation, searchable)
                textTaken += searchable.text.utf8.count
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
        let first: Int
        switch state {
        case .unused: return
        case .building(let started, let reached), .complete(let started, let reached):
            (index, first) = (started, reached)
        }
        guard !changes.changes.isEmpty else { return }
        do {
            try index.write { writing in
                for change in changes.changes {
                    switch change {
                    case .put(let key, let message) where key >= first:
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
        let keys: [Int]
        switch state {
        case .unused: keys = []
        case .building(let index, _), .complete(let index, _): keys = try found(query, index)
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
