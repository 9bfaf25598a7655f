/// The `data` of a reply to `history/get`.
public struct ReceivedHistory: Hashable, Sendable {
    /// By ascending seq.
    public let messages: [ReceivedRecord]
    public let summary: HistorySummary

    public init(messages: [ReceivedRecord], summary: HistorySummary) {
        self.messages = messages
        self.summary = summary
    }
}

extension ReceivedHistory: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        messages = try object.values("messages").required("messages")
        summary = try HistorySummary(members: object)
    }
}

extension HistorySummary: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            hasMore: try object.bool("has_more").required("has_more"), nextCursor: try object.count("next_cursor"),
            epoch: try object.text("epoch", maximum: 64).required("epoch"),
            lastSeq: try object.count("last_seq").required("last_seq"),
            foundOldest: try object.bool("found_oldest").required("found_oldest"),
            foundNewest: try object.bool("found_newest").required("found_newest"))
    }
}

extension SentMessage: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {
        self.init(
            id: try object.uuid("id").required("id"), epoch: try object.text("epoch", maximum: 64).required("epoch"),
            seq: try object.integer("seq", in: 1...Int.max).required("seq"),
            createdAt: try object.timestamp("created_at").required("created_at"))
    }
}
