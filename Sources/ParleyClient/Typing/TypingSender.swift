import ParleyProtocol

/// Tells the others that the user writes.
struct TypingSender {
    let context: ClientContext

    private static let timeout: Duration = .seconds(2)

    /// Sends what there is to say, and waits for more.
    nonisolated(nonsending) func run() async {
        while !Task.isCancelled {
            guard let signal = context.signals.nextTyping(now: .now) else {
                await context.bells.typing.wait(until: context.signals.nextTypingTime)
                continue
            }
            let gateway = GatewayRequests(context.connection, timeout: TypingSender.timeout)
            // Nobody misses one that is lost: the gateway ends every start.
            switch signal {
            case .start(let conversation): try? await gateway.startTyping(in: conversation)
            case .stop(let conversation): try? await gateway.stopTyping(in: conversation)
            }
        }
    }
}

extension ClientContext {
    var typing: TypingSender { TypingSender(context: self) }
}

extension MessagingClient {
    /// To be called at each key press: the others see that the user writes. It stops by itself 5 s after the last press,
    /// and when a message is sent.
    public func typing(in conversation: ConversationID) {
        guard context.progress.isConnected else { return }
        context.signals.press(conversation, now: .now)
        context.bells.typing.ring()
    }

    /// The user has given up what they wrote.
    public func stopTyping(in conversation: ConversationID) {
        if context.signals.stopTyping(conversation) { context.bells.typing.ring() }
    }
}
