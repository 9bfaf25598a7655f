/// `history/get`: a page of a conversation's log.
public struct GetHistory: Query {
    public static let operation = Operation(validatedArea: "history", verb: "get")
    public typealias Reply = HistoryReply

    public let conversation: ConversationID
    public let limit: Int
    public let position: HistoryPosition

    public init(conversation: ConversationID, limit: Int = 50, position: HistoryPosition = .newest) {
        (self.conversation, self.limit, self.position) = (conversation, limit, position)
    }

    package init<Pass: FieldPass<GetHistory>>(fields pass: inout Pass) throws(Pass.Failure) {
        conversation = try pass.required("conversation_id", \.conversation)
        limit = try pass.required("limit", \.limit, as: .integer(1...Limits.pageItems), default: 50)
        try pass.atMostOne(of: "before", "after", "around")
        let before = try pass.optional("before") { if case .before(let point) = $0.position { point } else { nil } }
        let after = try pass.optional("after") { if case .after(let point) = $0.position { point } else { nil } }
        let around = try pass.optional("around") { if case .around(let point) = $0.position { point } else { nil } }
        position =
            before.map { .before($0) } ?? after.map { .after($0) } ?? around.map { .around($0) } ?? .newest
    }
}

public enum HistoryPosition: Hashable, Sendable {
    case newest
    /// Excludes the point.
    case before(RecordPoint)
    /// Excludes the point.
    case after(RecordPoint)
    case around(RecordPoint)
}

/// A place in a log: a record's id or its seq.
public enum RecordPoint: Hashable, Sendable {
    case id(MessageID)
    case seq(Int)
}

extension RecordPoint: JSONReadable {
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .id(let id): id.write(to: &writer)
        case .seq(let seq): seq.write(to: &writer)
        }
    }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> RecordPoint? {
        object.isNumber(name) ? try object.count(name).map(RecordPoint.seq) : try object.uuid(name).map(RecordPoint.id)
    }

    public static var schema: FieldSchema { FieldSchema(.either(MessageID.schema, Int.schema)) }
}

/// The fields of a page of history beside its messages.
public struct HistorySummary: GatewayObject {
    public let hasMore: Bool
    /// The seq for the next `before`, or `after` when paging forward.
    public let nextCursor: Int?
    public let epoch: String
    public let lastSeq: Int
    public let foundOldest: Bool
    public let foundNewest: Bool

    public init(
        hasMore: Bool, nextCursor: Int?, epoch: String, lastSeq: Int, foundOldest: Bool, foundNewest: Bool
    ) {
        self.hasMore = hasMore
        self.nextCursor = nextCursor
        self.epoch = epoch
        self.lastSeq = lastSeq
        self.foundOldest = foundOldest
        self.foundNewest = foundNewest
    }

    package init<Pass: FieldPass<HistorySummary>>(fields pass: inout Pass) throws(Pass.Failure) {
        hasMore = try pass.required("has_more", \.hasMore)
        nextCursor = try pass.optional("next_cursor", \.nextCursor)
        epoch = try pass.required("epoch", \.epoch, as: .epoch)
        lastSeq = try pass.required("last_seq", \.lastSeq)
        foundOldest = try pass.required("found_oldest", \.foundOldest)
        foundNewest = try pass.required("found_newest", \.foundNewest)
    }
}

/// The `data` of a reply to `history/get`.
public struct HistoryReply: GatewayObject {
    package let records: ReadyMadeList<MessageRecord>
    public let summary: HistorySummary

    /// By ascending seq.
    public var messages: [MessageRecord] { records.values }

    public init(messages: [MessageRecord], summary: HistorySummary) {
        self.init(.values(messages), summary: summary)
    }

    package init(_ records: ReadyMadeList<MessageRecord>, summary: HistorySummary) {
        (self.records, self.summary) = (records, summary)
    }

    package init<Pass: FieldPass<HistoryReply>>(fields pass: inout Pass) throws(Pass.Failure) {
        records = try pass.required("messages", \.records, as: .readyMadeList())
        summary = try pass.part(\.summary)
    }
}
