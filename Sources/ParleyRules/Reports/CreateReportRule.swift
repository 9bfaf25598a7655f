import ParleyProtocol

/// Decides `reports/create` (protocol §5).
package enum CreateReportRule {
    package struct Facts: Sendable {
        /// The report that has this id already.
        package let existing: ExistingReport?
        /// The digest of the request's identity, 16 bytes.
        package let digest: [UInt8]
        package let subject: Subject

        package init(existing: ExistingReport?, digest: [UInt8], subject: Subject) {
            (self.existing, self.digest, self.subject) = (existing, digest, subject)
        }
    }

    /// A report that has the same id.
    package struct ExistingReport: Hashable, Sendable {
        package let createdAt: Timestamp
        package let digest: [UInt8]

        package init(createdAt: Timestamp, digest: [UInt8]) { (self.createdAt, self.digest) = (createdAt, digest) }
    }

    /// What is known of what is reported.
    package enum Subject: Sendable {
        /// The record named, and its conversation, whether the reporter is in it or not.
        case message(MessageRecord, in: ConversationFacts)
        case unknownMessage
        case user(UserID)
        case unknownUser
    }

    package enum Decision: Hashable, Sendable {
        case keep(Report)
        /// Nothing is done; the first reply is given again.
        case repeated(ReportReceipt)
    }

    /// - Parameter steady: the steady time; without it, `now`.
    package static func decide(
        _ request: CreateReport, by reporter: UserID, facts: Facts, now: Timestamp, steady: Timestamp? = nil
    ) throws(Rejection) -> Decision {
        // Before whatever may have changed since the first time: a repeat gets the first reply.
        if let existing = facts.existing {
            try RepeatRule.check(facts.digest, of: existing.digest)
            return .repeated(ReportReceipt(id: request.id, createdAt: existing.createdAt))
        }
        let (user, message) = try subject(facts.subject, reporter, steady ?? now)
        guard user != reporter else { throw Rejection(.badRequest, "Nobody reports themselves.") }
        return .keep(
            Report(
                id: request.id, reporter: reporter, reason: request.reason, user: user, message: message,
                evidence: request.evidence, createdAt: now))
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
            // What is past its time has disappeared, whether or not it was removed yet.
            let hasDisappeared = record.disappearsAt.map { $0 <= steady } ?? false
            var writer = JSONWriter()
            (hasDisappeared ? record.withoutCiphertext : record).write(to: &writer)
            return (record.sender.user, writer.finish())
        }
    }

    /// A stranger's message request may be reported while its conversation is not yet the recipient's own, and after
    /// they have declined it or blocked its sender: they have read it in `requests/list`, the only place that shows its
    /// id.
    private static func mayReport(
        _ record: MessageRecord, of conversation: ConversationFacts, _ reporter: UserID
    ) -> Bool {
        guard let member = conversation.member(reporter) else { return false }
        return record.seq > member.visibleFrom
    }
}
