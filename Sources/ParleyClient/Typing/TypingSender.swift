import ParleyProtocol

struct TypingSender {
    let signals: Signals, connection: DeviceConnection, typingSignal: WakeSignal

    private static let timeout: Duration = .seconds(2)

    nonisolated(nonsending) func run() async {
        while !Task.isCancelled {
            guard let signal = signals.nextTyping(now: .now) else {
                await typingSignal.wait(until: signals.nextTypingTime)
                continue
            }
            let gateway = GatewayRequests(connection, timeout: TypingSender.timeout)
            // A lost signal is harmless: the gateway ends every start.
            switch signal {
            case .start(let conversation): try? await gateway.notify(StartTyping(conversation: conversation))
            case .stop(let conversation): try? await gateway.notify(StopTyping(conversation: conversation))
            }
        }
    }
}
