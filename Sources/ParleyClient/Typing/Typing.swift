import ParleyProtocol

extension MessagingClient {
    /// The user's typing indicators.
    public nonisolated var typing: Typing { Typing(client: self) }

    /// The user's typing indicators: ``MessagingClient/typing``.
    public struct Typing: Sendable {
        let client: MessagingClient

        /// Call this at each key press. The indicator stops 5 s after the last press, and when a message is sent.
        public func pressKey(in conversation: ConversationID) async {
            await client.perform { context in
                guard context.progress.isConnected else { return }
                context.signals.press(conversation, now: .now)
                context.wakeUps.typing.signal()
            }
        }

        /// The user has discarded the text.
        public func stop(in conversation: ConversationID) async {
            await client.perform { context in
                if context.signals.stopTyping(conversation) { context.wakeUps.typing.signal() }
            }
        }
    }
}
