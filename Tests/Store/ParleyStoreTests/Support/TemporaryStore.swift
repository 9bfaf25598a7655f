import Foundation
import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import TestedStores
import Testing

@testable import ParleyStore

extension TemporaryDirectory {
    var database: String { path + "/parley.db" }

    func bytes() throws -> [UInt8] { try bytes("parley.db") }
}

/// What a suite of queries begins with: a store of each test's own, on the engine that it is run for.
class StoreSuite {
    let database: any TestedDatabase
    let store: Store

    init() throws {
        database = try TestedEngine.makeDatabase()
        store = try database.open()
    }

    /// Where the files of SQLite are.
    var directory: TemporaryDirectory {
        get throws { try #require(database as? SQLiteDatabase).directory }
    }
}

/// The same with four people.
class PeopleSuite: StoreSuite {
    override init() throws {
        try super.init()
        try store.write { try $0.insertPeople(["alice", "bob", "carol", "dave"]) }
    }
}

/// The same with a conversation of the first two.
class ConversationSuite: PeopleSuite {
    let id = ConversationID.random()

    override init() throws {
        try super.init()
        try store.write { [id] in _ = try $0.insertConversation(["alice", "bob"], id: id) }
    }
}

extension Store {
    /// One value of a query as text, on a snapshot.
    func text(_ query: String) throws(StoreError) -> String? {
        try read { try $0.text(query) }
    }

    /// A statement that gives no rows.
    func execute(_ sql: String) throws(StoreError) {
        try write { try $0.database.run(sql) }
    }
}

extension Snapshot {
    func text(_ query: String) throws -> String? {
        let sql = query.hasPrefix("SELECT") ? "SELECT CAST((\(query)) AS TEXT)" : query
        return try database.row(sql)?.bytes(0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// How SQLite goes about a query.
    func plan(_ query: String) throws -> String {
        try planSteps(query).joined(separator: "; ")
    }

    func planSteps(_ query: String) throws -> [String] {
        try database.list("EXPLAIN QUERY PLAN " + query) { $0.text(3) }
    }

    /// The prepared statement of a query, whose steps are counted.
    func statement(_ sql: String) throws -> SQLiteStatement {
        guard case .sqlite(let connection) = database.engine else { throw StoreError.notDurable(setting: "not SQLite") }
        return try connection.statement(sql)
    }

    /// The state of a conversation that is there.
    func existing(_ id: ConversationID) throws -> ConversationState { try #require(try conversations.conversation(id)) }
}

extension WriteTransaction {
    func insertPeople(_ users: [UserID]) throws {
        for user in users { try self.users.insert(user, role: .member, displayName: "\(user)!", at: at(0)) }
    }

    /// A conversation of these, the first of whom made it.
    @discardableResult
    func insertConversation(
        _ members: [UserID], id: ConversationID = .random(), at time: Timestamp = at(0)
    ) throws -> ConversationState {
        let key = try conversations.insert(
            NewConversation(
                id: id, type: members.count == 2 ? .direct : .group, name: nil, creator: try #require(members.first),
                members: members.map { ($0, .member) }, epoch: "epoch", digest: nil), at: time)
        #expect(try facts.conversations.conversation(id)?.key == key)
        return try facts.existing(id)
    }

    /// Takes the next position of the stream.
    func nextPosition() throws -> StreamPosition {
        let position = try facts.outbox.lastPosition() + 1
        endStream(at: position)
        return position
    }

    /// What `apply` does for writes that have positions.
    func endStream(at position: StreamPosition) {
        guard case .remote(let connection) = database.engine else { return }
        connection.setStreamEnd(position, audience: nil)
    }

    /// Appends a record at the next place and position, and writes the log back.
    @discardableResult
    func append(
        to id: ConversationID, from sender: DeviceAddress, content: [UInt8] = [UInt8](repeating: 7, count: 32),
        at time: Timestamp = at(1)
    ) throws -> MessageRecord {
        var conversation = try facts.existing(id)
        let message = SendMessage(
            id: .random(), conversation: id, type: .text, suite: .naclBox, content: content,
            nonce: [UInt8](repeating: 9, count: 24))
        let record = MessageRecord(
            message, sender: sender, epoch: conversation.facts.epoch, seq: conversation.facts.lastSeq + 1,
            createdAt: time)
        try records.insert(
            record, conversation: conversation.key, position: try nextPosition(), digest: digest(of: record))
        conversation.facts.append(record)
        try conversations.updateLog(&conversation)
        return record
    }
}

extension WriteTransaction {
    /// A receipt of a device's, as the rule has it.
    func mark(
        _ kind: ReceiptKind, upTo seq: Int, by address: DeviceAddress, in conversation: ConversationKey,
        _ disclosure: ReceiptDisclosure = .everything, at time: Timestamp = at(1)
    ) throws {
        let id = try #require(try facts.conversations.object(conversation, seenBy: nil)).id
        let state = try #require(try facts.receipts.state(of: address, in: id))
        guard let advance = ReceiptRule.decide(kind, upTo: seq, state, disclosure, now: time) else { return }
        var writes = PendingWrites()
        writes.advance(advance, of: address, in: conversation)
        _ = try apply(writes)
    }

    /// Keeps how one user now stands.
    func put(_ presence: Presence, of user: UserID) throws { try self.presence.save([user: presence]) }

    /// Keeps one event that has no record.
    func insertEvent(
        position: StreamPosition, topic: ArraySlice<UInt8>, payload: ArraySlice<UInt8>, retain: Bool,
        unread: PendingUnread? = nil
    ) throws {
        var writes = PendingWrites()
        writes.append(position: position, topic: topic, payload: payload, retain: retain, unread: unread)
        _ = try apply(writes)
    }
}

/// 16 bytes that stand for what a request was.
func digest(of record: MessageRecord) -> [UInt8] { record.id.value.bytes }

/// In tests a position is written as its number.
extension StreamPosition: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) { self.init(number: value) }
}

func + (position: StreamPosition, count: Int) -> StreamPosition { StreamPosition(number: position.number + count) }
