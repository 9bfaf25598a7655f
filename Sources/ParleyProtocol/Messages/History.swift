/// `history/get`: a page of a conversation's log.
public struct GetHistory: Query {
    public static let operation = Operation(validatedArea: "history", verb: "get")
    public static let fields = "conversation_id, limit?=50, and at most one of before?, after?, around?"
    public typealias Reply = ReceivedHistory

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

/// What a page of history says beside its messages.
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

    /// Writes the `data` of the reply around messages that are JSON already, comma between them.
    public func write(messages: [UInt8], to writer: inout JSONWriter) {
        writer.object { object in
            object.key("messages")
            object.raw([UInt8(ascii: "[")] + messages + [UInt8(ascii: "]")])
            object.member("has_more", hasMore)
            object.member("next_cursor", nextCursor)
            object.member("epoch", epoch)
            object.member("last_seq", lastSeq)
            object.member("found_oldest", foundOldest)
            object.member("found_newest", foundNewest)
        }
    }
}
