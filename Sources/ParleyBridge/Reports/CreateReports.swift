import ParleyProtocol
import ParleyRules
import ParleyStore

extension CreateReport: CommandHandler {
    struct Decision {
        /// What the request was, 16 bytes.
        let digest: [UInt8]
        let acceptance: CreateReportRule.Decision
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let (facts, reporter) = (try context.facts, context.sender.user)
        let digest = try context.digest(of: self)
        let existing = try facts.reports.identity(of: id)
        // A repeat is answered as before, and looks at nobody.
        if existing == nil, case .user(let user) = subject { try context.chargeLookup(of: user) }
        let acceptance = try CreateReportRule.decide(
            self, by: reporter,
            facts: CreateReportRule.Facts(
                existing: existing, digest: digest, subject: try subject(of: reporter, context)),
            now: context.now, steady: context.steady)
        if case .keep(let report) = acceptance {
            try context.checkRoom(for: report.storageCost, of: report.reporter)
            try context.charge(\.reports)
        }
        return Decision(digest: digest, acceptance: acceptance)
    }

    private func subject(of reporter: UserID, _ context: DecisionContext) throws -> CreateReportRule.Subject {
        switch subject {
        case .user(let user): return try context.facts.users.hasMember(user) ? .user(user) : .unknownUser
        case .message(let id):
            guard let place = try context.place(of: id),
                let conversation = try context.conversation(place.record.conversation),
                let seq = place.seq(in: conversation.facts, visibleTo: reporter),
                let record = try context.facts.records.record(at: seq, in: conversation, seenBy: reporter)
            else { return .unknownMessage }
            return .message(record, in: conversation.facts)
        }
    }

    /// Nothing of it is published to whoever is reported.
    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let receipt: ReportReceipt
        switch decision.acceptance {
        case .repeated(let first): receipt = first
        case .keep(let report):
            try context.charge(report.storageCost, to: report.reporter)
            try context.transaction.reports.insert(report, digest: decision.digest)
            context.afterCommit.reports += 1
            receipt = ReportReceipt(id: report.id, createdAt: report.createdAt)
        }
        context.accept { receipt.write(to: &$0) }
    }
}
