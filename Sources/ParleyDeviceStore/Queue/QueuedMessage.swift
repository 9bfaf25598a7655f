import ParleyProtocol

/// A message that waits to be sent.
package struct QueuedMessage: Hashable, Sendable {
    package let id: MessageID
    package let conversation: ConversationID
    /// Its place in the order in which messages were written.
    package let position: Int
    package let state: State
    /// How often sending it was tried.
    package let attempts: Int
    /// Before this it is not tried again.
    package let notBefore: Timestamp?
    /// What is to be sent, as the owner of the store codes it; opaque here. `nil`: what stands in the file is not what was
    /// put there, and the message cannot be sent any more.
    package let content: [UInt8]?
    /// The bytes that were first sent, to be repeated as they are. `nil`: none were, or they are damaged: then the message
    /// is sealed anew, which is answered `conflict` if the first did arrive.
    package let request: [UInt8]?

    package enum State: Hashable, Sendable {
        case pending
        /// Not tried any more until `retry`; `reason` is for people, and empty if it is damaged.
        case setAside(reason: String)
    }
}

/// What the queue has to do at some time.
package enum QueueStep: Hashable, Sendable {
    /// This is to be sent now.
    case send(QueuedMessage, content: [UInt8])
    /// This is due, and damaged: it can only be set aside.
    case damaged(QueuedMessage)
    /// Nothing is to be sent before this.
    case wait(until: Timestamp)
    /// Nothing waits.
    case done
}
