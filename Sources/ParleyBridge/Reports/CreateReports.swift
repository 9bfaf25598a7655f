import ParleyProtocol
import ParleyRules
import ParleyStore

extension CreateReport: OnceHandler {
    func first(in context: DecisionContext) throws -> (digest: [UInt8]?, outcome: () throws -> ReportReceipt)? {
        guard let first = try context.facts.reports.identity(of: id) else { return nil }
        return (first.digest, { ReportReceipt(id: id, createdAt: first.createdAt) })
    }

    func decideNew(in context: DecisionContext) throws -> Report {
        let reporter = context.sender.user
        if case .user(let user) = subject { try context.chargeLookup(of: user) }
        let report = try CreateReportRule.decide(
            self, by: reporter, subject(of: reporter, context), now: context.now, steady: context.steady)
        try context.checkRoom(for: report.storageCost, of: reporter)
        try context.charge(.reports)
        return report
    }

    private func subject(of reporter: UserID, _ context: DecisionContext) throws -> CreateReportRule.Subject {
        switch subject {
        case .user(let user): return try context.facts.users.hasMember(user) ? .user(user) : .unknownUser
        case .message(let id):
            guard let place = try context.location(of: id),
                let conversation = try context.conversation(place.record.conversation),
                let seq = place.seq(in: conversation.facts, visibleTo: reporter),
                let record = try context.facts.records.record(at: seq, in: conversation, seenBy: reporter)
            else { return .unknownMessage }
            return .message(record, in: conversation.facts)
        }
    }

    /// The reported user is not notified.
    func make(_ report: Report, digest: [UInt8], in context: ApplyContext) throws(StoreError) -> ReportReceipt {
        try context.charge(report.storageCost, to: report.reporter)
        try context.transaction.reports.insert(report, digest: digest)
        context.afterCommit.reports += 1
        return ReportReceipt(id: report.id, createdAt: report.createdAt)
    }
}
