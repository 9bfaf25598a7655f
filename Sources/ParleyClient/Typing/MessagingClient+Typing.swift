import ParleyProtocol

// Telling the others that the user writes.

extension MessagingClient {
    /// How many signals may wait for the connection; what is older than that is of no interest any more.
    private static let mostSignals = 16
    private static let signalTimeout: Duration = .seconds(2)

    /// To be called at each key press: the others see that the user writes. It stops by itself 5 s after the last press,
    /// and when a message is sent.
    public func typing(in conversation: ConversationID) {
        guard progress.isConnected else { return }
        if let signal = typing.press(conversation, now: .now) { say(signal) }
        typingBell.ring()
    }

    /// The user has given up what he wrote.
    public func stopTyping(in conversation: ConversationID) {
        if let signal = typing.stop(conversation) { say(signal) }
    }

    func say(_ signal: TypingPacer.Signal) {
        guard typingSignals.count < MessagingClient.mostSignals else { return }
        typingSignals.append(signal)
        typingBell.ring()
    }

    func typingLoop() async {
        while !Task.isCancelled {
            typingSignals += typing.due(now: .now)
            guard !typingSignals.isEmpty else {
                await typingBell.wait(until: typing.nextDue)
                continue
            }
            let gateway = GatewayRequests(connection, timeout: MessagingClient.signalTimeout)
            // Nobody misses one that is lost: the gateway ends every start.
            switch typingSignals.removeFirst() {
            case .start(let conversation): try? await gateway.startTyping(in: conversation)
            case .stop(let conversation): try? await gateway.stopTyping(in: conversation)
            }
        }
    }
}
