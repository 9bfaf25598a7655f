import Platform

extension MessagingClient {
    /// Whether the gateway's rate limit holds back messages that wait to be sent. They go as soon as it lets them.
    public var isSendingLimited: Bool { context.outbox.queue.isLimited(now: .now) }

    /// Whether messages, or changes of messages, wait to be sent.
    public var hasWaitingMessages: Bool { context.outbox.queue.count > 0 }
}
