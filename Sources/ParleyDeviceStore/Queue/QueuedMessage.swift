import ParleyProtocol

/// A message that waits to be sent.
package struct QueuedMessage: Hashable, Sendable {
    package let id: MessageID
    package let conversation: ConversationID
    /// Its place in the order in which messages were written.
    package let position: Int
    package let state: State
    /// What is to be sent, as the owner of the store codes it; opaque here. `nil`: what stands in the file is not what was
    /// put there, and the message cannot be sent any more.
    package let content: [UInt8]?
    /// The bytes that were first sent, to be repeated as they are. `nil`: none were, or they are damaged: then the message
    /// is sealed anew, which is answered `conflict` if the first did arrive.
    package let request: [UInt8]?

    package enum State: Hashable, Sendable {
        case pending
        /// Not to be tried until `retry`; `reason` is for people, and empty if it is damaged.
        case setAside(reason: String)
    }
}
