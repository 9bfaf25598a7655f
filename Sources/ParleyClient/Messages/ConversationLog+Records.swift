import ParleyProtocol

extension MessageRecord: LogRecord {}

extension ConversationLog.Page where Record == MessageRecord {
    /// A page that the gateway gave. Records of other conversations are none of it.
    init(_ history: HistoryReply, of conversation: ConversationID) {
        self.init(
            epoch: history.summary.epoch, lastSeq: history.summary.lastSeq,
            records: history.messages.filter { $0.conversation == conversation }, isOldest: history.summary.foundOldest)
    }
}
