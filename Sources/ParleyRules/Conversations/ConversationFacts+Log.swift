import ParleyProtocol

extension ConversationFacts {
    /// The place of the next record of the log.
    public func nextSeq() throws(Rejection) -> Int {
        let (seq, overflow) = lastSeq.addingReportingOverflow(1)
        guard !overflow else { throw .internalFault }
        return seq
    }

    /// When the next record is made: now, but not before the last.
    public func nextCreation(_ now: Timestamp) -> Timestamp { max(now, updatedAt) }

    /// The log has grown by a record.
    public mutating func append(_ record: MessageRecord) {
        lastSeq = record.seq
        updatedAt = record.createdAt
        if record.kind == .message, record.type != .system { lastMessageSeq = record.seq }
    }
}
