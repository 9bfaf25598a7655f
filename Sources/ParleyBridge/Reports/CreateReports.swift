import ParleyProtocol
import ParleyRules
import ParleyStore
import Sodium

extension Writer {
    /// `reports/create`. Whoever is reported hears nothing of it.
    func create(
        _ request: CreateReport, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let facts = transaction.facts
        let preimage = request.identityPreimage(sender: route.address)
        let digest = try BLAKE2b.hash(preimage.span, length: .bytes16)
        let decision = try AcceptReport.decide(
            request, by: route.address.user,
            facts: AcceptReport.Facts(
                existing: try facts.reportIdentity(of: request.id), digest: digest,
                subject: try subject(request.subject, of: route.address.user, facts)),
            now: now, steps: steps)
        let receipt: ReportReceipt
        switch decision {
        case .repeated(let first): receipt = first
        case .keep(let report):
            try checkRoom(for: report.storageCost, of: report.reporter, facts)
            if let wait = reports.take(report.reporter, now: now) {
                throw Rejection(.rateLimited, "Too many reports; wait a little.", retryAfterMilliseconds: wait)
            }
            try charge(report.storageCost, to: report.reporter, facts)
            try transaction.insert(report, digest: digest)
            counters.reports.add(1)
            receipt = ReportReceipt(id: report.id, createdAt: report.createdAt)
        }
        effects.outgoing.accept(route) { receipt.write(to: &$0) }
    }

    private func subject(
        _ subject: CreateReport.Subject, of reporter: UserID, _ facts: Snapshot
    ) throws -> AcceptReport.Subject {
        switch subject {
        case .user(let user): return try facts.hasMember(user) ? .user(user) : .unknownUser
        case .message(let id):
            guard let identity = try facts.identity(of: id),
                let conversation = try conversation(identity.conversation, facts),
                let seq = try facts.seq(of: id, in: conversation, visibleTo: reporter),
                let record = try facts.record(at: seq, in: conversation, seenBy: reporter)
            else { return .unknownMessage }
            return .message(record, in: conversation.facts)
        }
    }
}

extension CreateReport: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.create(self, context.route, context.transaction, &effects, now: context.now)
    }
}
