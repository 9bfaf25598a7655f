import ParleyProtocol

extension MessagingClient {
    /// That the user is writing.
    public nonisolated var typing: Typing { Typing(client: self) }

    /// Shows the others that the user is writing: ``MessagingClient/typing``.
    public struct Typing: Sendable {
        let client: MessagingClient

        /// To be called at each key press: the others see that the user writes. It stops by itself 5 s after the last
        /// press, and when a message is sent.
        public func pressKey(in conversation: ConversationID) async {
            await client.perform { context in
                guard context.progress.isConnected else { return }
                context.signals.press(conversation, now: .now)
                context.wakeUps.typing.signal()
            }
        }

        /// The user has given up what they wrote.
        public func stop(in conversation: ConversationID) async {
            await client.perform { context in
                if context.signals.stopTyping(conversation) { context.wakeUps.typing.signal() }
            }
        }
    }
}
