import ParleyDeviceStore
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
        expectedEchoes.removeAll { echo in
            let (message, conversation) = (echo.message, echo.conversation)
            if known[conversation]?.log.holds(message.epoch, message.seq) == true { return true }
            if known[conversation]?.log.isBefore(message.epoch, message.seq) == true {
                // Sent before the database was damaged, and further back than what was fetched anew: its record comes
                // when somebody reads so far.
                note { try $0.discard(message.id) }
                return true
            }
            guard echo.deadline <= now else { return false }
            known[conversation]?.log.learned(epoch: message.epoch, lastSeq: message.seq)
            return true
        }
    }
}
