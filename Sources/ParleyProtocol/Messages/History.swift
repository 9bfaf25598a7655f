/// `history/get`: a page of a conversation's log.
public struct GetHistory: Query {
    public static let operation = Operation(validatedArea: "history", verb: "get")
    public static let fields = "conversation_id, limit?=50, and at most one of before?, after?, around?"
    public typealias Reply = HistoryReply

    public let conversation: ConversationID
    public let limit: Int
    public let position: HistoryPosition

    public init(conversation: ConversationID, limit: Int = 50, position: HistoryPosition = .newest) {
        self.conversation = conversation
        self.limit = limit
        self.position = position
    }

    public init(_ object: JSONObject) throws(Rejection) {
        conversation = try object.uuid("conversation_id").required("conversation_id")
        limit = try object.integer("limit", in: 1...Limits.pageItems) ?? 50
        let named = ["before", "after", "around"].filter(object.has)
        guard named.count <= 1 else { throw .badRequest(named.joined(separator: ", "), "at most one of them") }
        if let point = try RecordPoint(object, "before") {
            position = .before(point)
        } else if let point = try RecordPoint(object, "after") {
            position = .after(point)
        } else if let point = try RecordPoint(object, "around") {
            position = .around(point)
        } else {
            position = .newest
        }
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("conversation_id", conversation)
        object.member("limit", limit)
        switch position {
        case .newest: break
        case .before(let point): point.write("before", to: &object)
        case .after(let point): point.write("after", to: &object)
        case .around(let point): point.write("around", to: &object)
        }
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

    init?(_ object: JSONObject, _ name: String) throws(Rejection) {
        guard object.has(name) else { return nil }
        if object.isNumber(name) {
            self = .seq(try object.integer(name, in: 0...Int.max).required(name))
        } else {
            self = .id(try object.uuid(name).required(name))
        }
    }

    fileprivate func write(_ name: StaticString, to object: inout JSONWriter) {
        switch self {
        case .id(let id): object.member(name, id)
        case .seq(let seq): object.member(name, seq)
        }
    }
}

/// What a page of history holds beside its messages.
public struct HistorySummary: Hashable, Sendable {
    public let hasMore: Bool
    /// A seq for the next `before`, or for `after` when paging by that.
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
}

extension HistorySummary: GatewayObject {
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
public struct HistoryReply: Hashable, Sendable {
    package let records: ReadyMadeList<MessageRecord>
    public let summary: HistorySummary

    /// By ascending seq.
    public var messages: [MessageRecord] { records.values }

    public init(messages: [MessageRecord], summary: HistorySummary) {
        self.init(.values(messages), summary: summary)
    }

    package init(_ records: ReadyMadeList<MessageRecord>, summary: HistorySummary) {
        self.records = records
        self.summary = summary
    }
}

extension HistoryReply: GatewayObject {
    package init<Pass: FieldPass<HistoryReply>>(fields pass: inout Pass) throws(Pass.Failure) {
        records = try pass.required("messages", \.records, as: .readyMadeList())
        summary = try pass.part(\.summary)
    }
}
