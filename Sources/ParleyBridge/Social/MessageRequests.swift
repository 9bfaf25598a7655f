import ParleyProtocol
import ParleyRules
import ParleyStore

// What a message changes between two people: a request waits, an answer accepts.

extension Writer {
    /// The first message to a stranger counts against how many of those one may write.
    func limitFirstMessage(
        under permission: MessagingPermission, _ record: MessageRecord, _ conversation: ConversationState,
        now: Timestamp
    ) throws(Rejection) {
        guard let contact = conversation.contact, contact.isFirstMessage(of: record.sender.user, under: permission),
            let wait = firstMessages.take(record.sender.user, now: now)
        else { return }
        throw Rejection(
            .rateLimited, "Too many first messages to strangers; wait a little.", retryAfterMilliseconds: wait)
    }

    /// Each stranger whom somebody puts into a group counts as a first message to them.
    ///
    /// - Throws: `rate_limited`; or `forbidden` where there would never be room for so many at once.
    func chargeStrangers(
        _ strangers: Int, putIntoGroupBy user: UserID, now: Timestamp
    ) throws(Rejection) {
        guard strangers <= settings.firstMessageBurst else {
            throw Rejection(
                .forbidden, "You may put at most \(settings.firstMessageBurst) strangers into a group at once.")
        }
        guard let wait = firstMessages.take(user, strangers, now: now) else { return }
        throw Rejection(
            .rateLimited, "Too many strangers put into groups; wait a little.", retryAfterMilliseconds: wait)
    }

    /// What follows between the two of a direct conversation from a message that was accepted in it.
    func settle(
        _ record: MessageRecord, under permission: MessagingPermission, _ conversation: ConversationState,
        _ transaction: WriteTransaction, _ effects: inout Effects, now: Timestamp
    ) throws {
        guard let old = conversation.relationship else { return }
        let sender = record.sender.user
        var new = old
        new.wrote(sender, under: permission)
        var settled: ConversationState? = conversation
        try settle(old, new, &settled, transaction, &effects, now: now)
        guard permission == .request, !new.isWithheld(of: sender) else { return }
        // All that the recipient hears of it. Nothing takes the event back when its time has come: what is to disappear
        // goes without its ciphertext, which `requests/list` has.
        let request = MessageRequest(message: record.expiresAt == nil ? record : record.withoutCiphertext)
        try effects.event(.user(new.contact.other(than: sender), .events), transaction) { request.writeEvent(to: &$0) }
    }
}
