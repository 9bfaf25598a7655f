import ParleyProtocol
import ParleyStore

/// The trace of a message or a notification (`admin/trace`).
extension TraceMessage: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        // Before the traces are read: a test that has no event any more has a trace.
        let test = try context.snapshot.pushEvents.test(NotificationID(id)).map { device, time in
            let registration = try context.snapshot.pushRegistrations.registration(of: device)
            return PushTrace(test: NotificationID(id), of: device, registration?.target.provider, at: time)
        }
        let (one, others) = try context.reader.pushes.read(beside: context.snapshot) { pushes in
            (
                try pushes.traces.trace(of: NotificationID(id)) ?? test,
                try pushes.traces.traces(of: MessageID(id), limit: MessageTrace.most)
            )
        }
        // A notification is shown with its message.
        let record = try context.snapshot.tracedRecords.record(one?.message ?? MessageID(id))
        let pushes = one.map { [$0] } ?? others
        guard record != nil || !pushes.isEmpty else {
            throw Rejection(.notFound, "There is no such message, and no such notification is remembered.")
        }
        let published = context.reader.publishedThrough.current
        let trace = MessageTrace(
            message: record.map { record in
                TracedMessage(
                    id: record.id, conversation: record.conversation, sender: record.sender,
                    acceptedAt: record.createdAt, seq: record.seq, isPublished: record.position <= published)
            },
            members: try record.map { try context.snapshot.tracedRecords.members(for: $0, limit: MessageTrace.most) }
                ?? [],
            pushes: pushes.map(TracedPush.init))
        return trace.write
    }
}

extension TracedPush {
    init(_ trace: PushTrace) {
        self.init(
            id: trace.id, type: .known(trace.type), user: trace.user, device: trace.device,
            provider: trace.provider.map(Named.known), decidedAt: trace.decidedAt, decision: trace.decision,
            sentAt: trace.sentAt, attempts: trace.attempts, repeats: trace.repeats, answeredAt: trace.answeredAt,
            answer: trace.answer)
    }
}
