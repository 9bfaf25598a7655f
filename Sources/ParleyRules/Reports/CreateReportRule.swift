import ParleyProtocol

/// Decides `reports/create` (protocol §5).
package enum CreateReportRule {
    package enum Subject: Sendable {
        /// The record and its conversation, with or without the reporter.
        case message(MessageRecord, in: ConversationFacts)
        case unknownMessage
        case user(UserID)
        case unknownUser
    }

    /// - Parameter steady: the steady time; without it, `now`.
    package static func decide(
        _ request: CreateReport, by reporter: UserID, _ subject: Subject, now: Timestamp, steady: Timestamp? = nil
    ) throws(Rejection) -> Report {
        let (user, message) = try Self.subject(subject, reporter, steady ?? now)
        guard user != reporter else { throw Rejection(.badRequest, "Nobody reports themselves.") }
        return Report(
            id: request.id, reporter: reporter, reason: request.reason, user: user, message: message,
            evidence: request.evidence, createdAt: now)
    }

    private static func subject(
        _ subject: Subject, _ reporter: UserID, _ steady: Timestamp
    ) throws(Rejection) -> (user: UserID, message: [UInt8]?) {
        switch subject {
        case .unknownUser: throw .userNotFound
        case .unknownMessage: throw .messageNotFound
        case .user(let user): return (user, nil)
        case .message(let record, let conversation):
            guard mayReport(record, of: conversation, reporter) else { throw .messageNotFound }
            guard record.type != .known(.system) else {
                throw Rejection(.badRequest, "message_id: the gateway's own message")
            }
            // An expired message has disappeared, even before its ciphertext is removed.
            let hasDisappeared = record.disappearsAt.map { $0 <= steady } ?? false
            var writer = JSONWriter()
            (hasDisappeared ? record.withoutCiphertext : record).write(to: &writer)
            return (record.sender.user, writer.finish())
        }
    }

    /// A message request may be reported before its conversation is open for the recipient, and after they have
    /// declined it or blocked its sender: they know its id from `requests/list`.
    private static func mayReport(
        _ record: MessageRecord, of conversation: ConversationFacts, _ reporter: UserID
    ) -> Bool {
        guard let member = conversation.member(reporter) else { return false }
        return record.seq > member.visibleFrom
    }
}
