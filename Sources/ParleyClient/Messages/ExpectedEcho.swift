import ParleyProtocol

/// A message that the gateway has taken, and whose record has to come: by itself, or else it is fetched.
struct ExpectedEcho: Sendable {
    let conversation: ConversationID
    let message: SentMessage
    let deadline: ContinuousClock.Instant
}

extension MessagingClient {
    /// How long a record may take to come by itself.
    private static let echoPatience: Duration = .seconds(2)

    func expect(_ message: SentMessage, in conversation: ConversationID) {
        guard known[conversation]?.log.holds(message.epoch, message.seq) != true else { return }
        expectedEchoes.append(
            ExpectedEcho(
                conversation: conversation, message: message, deadline: .now + MessagingClient.echoPatience))
        fetchBell.ring()
    }

    /// Has what did not come in time fetched.
    func expectSent(now: ContinuousClock.Instant) {
        for echo in expectedEchoes where echo.deadline <= now {
            known[echo.conversation]?.log.learned(epoch: echo.message.epoch, lastSeq: echo.message.seq)
        }
        expectedEchoes.removeAll { echo in
            echo.deadline <= now
                || known[echo.conversation]?.log.holds(echo.message.epoch, echo.message.seq) == true
        }
    }
}
