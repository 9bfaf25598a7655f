import ParleyProtocol

/// Tells the others that the user writes.
struct TypingSender {
    let context: ClientContext

    private static let timeout: Duration = .seconds(2)

    /// Sends what there is to say, and waits for more.
    nonisolated(nonsending) func run() async {
        while !Task.isCancelled {
            guard let signal = context.signals.nextTyping(now: .now) else {
                await context.wakeUps.typing.wait(until: context.signals.nextTypingTime)
                continue
            }
            let gateway = GatewayRequests(context.connection, timeout: TypingSender.timeout)
            // Nobody misses one that is lost: the gateway ends every start.
            switch signal {
            case .start(let conversation): try? await gateway.notify(StartTyping(conversation: conversation))
            case .stop(let conversation): try? await gateway.notify(StopTyping(conversation: conversation))
            }
        }
    }
}

extension ClientContext {
    var typing: TypingSender { TypingSender(context: self) }
}
