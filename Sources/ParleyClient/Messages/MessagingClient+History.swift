import ParleyDeviceStore
import ParleyProtocol

// Messages that are there: by their place, and by their words.

extension MessagingClient {
    /// Messages of a conversation that follow each other, as they are now: by default the newest.
    ///
    /// Without a connection it gives what is kept, and says that neither start nor end was reached. What this device
    /// keeps of a history that was over before the present one began is among it, in its place.
    ///
    /// - Parameters:
    ///   - position: where; `before` and `after` leave out the message they name, `around` has it in the middle. A seq
    ///     is one of the present epoch: whoever pages through everything names messages.
    ///   - limit: 1 to 200; fewer may be given, which does not mean that there are no more.
    ///   - withChanges: whether the records that change messages are among them, each in its place in the log.
    public func history(
        of conversation: ConversationID, at position: HistoryPosition = .newest, limit: Int = 50,
        withChanges: Bool = false
    ) async throws(ClientError) -> HistorySlice {
        try await context.historyReader.slice(
            of: conversation, at: position, limit: min(max(limit, 1), Limits.pageItems),
            withChanges ? .everything : .messages)
    }

    /// Messages with all the words of `text`, the newest first: of what is kept on this device, without a connection
    /// too.
    ///
    /// - Parameters:
    ///   - text: words, each the beginning of one; those in double quotes are side by side.
    ///   - conversation: `nil` for all.
    ///   - limit: at most 200.
    public func search(
        _ text: String, in conversation: ConversationID? = nil, limit: Int = 50
    ) throws(ClientError) -> [ChatMessage] {
        context.expiry.removeExpired()
        do throws(DeviceStoreError) {
            return try context.store.search(SearchQuery(text, in: conversation, limit: limit))
                .compactMap { KeptMessage($0).map(context.chatMessages.message) }
        } catch {
            throw .storage(error)
        }
    }
}
