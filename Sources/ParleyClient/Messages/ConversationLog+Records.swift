import ParleyProtocol

extension MessageRecord: LogRecord {}

extension ConversationLog.Page where Record == MessageRecord {
    /// A page from the gateway, without records of other conversations.
    init(_ history: HistoryReply, of conversation: ConversationID) {
        self.init(
            epoch: history.summary.epoch, lastSeq: history.summary.lastSeq,
            records: history.messages.filter { $0.conversation == conversation }, isOldest: history.summary.foundOldest)
    }
}
