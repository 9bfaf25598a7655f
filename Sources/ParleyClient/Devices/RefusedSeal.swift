import ParleyProtocol

/// A message that the gateway has refused with `stale_devices`, and for which devices it was then.
struct RefusedSeal: Equatable {
    let message: MessageID
    let recipients: PeerRecipients
}

extension MessagingClient {
    /// The gateway wants a message sealed for other devices. Members and keys are fetched anew after each such refusal: if it
    /// lists the same as before and refuses the same again, it contradicts itself.
    func noteRefusal(of message: MessageID, in conversation: ConversationID) {
        let recipients = peers.book.recipients(of: known[conversation]?.members ?? [], besides: device)
        let refused = RefusedSeal(message: message, recipients: recipients)
        if refusedSeals.updateValue(refused, forKey: conversation) == refused { tell(.otherDevices(conversation)) }
    }
}
