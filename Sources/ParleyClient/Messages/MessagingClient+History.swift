import ParleyDeviceStore
import ParleyProtocol

// History and search.

extension MessagingClient {
    /// Successive messages of a conversation: by default the newest.
    ///
    /// Without a connection it gives the stored messages, and reaches neither start nor end. Stored messages of earlier
    /// epochs are included at their positions.
    ///
    /// - Parameters:
    ///   - position: `before` and `after` exclude the named message, `around` has it in the middle. A seq belongs to
    ///     the present epoch: to page through everything, name messages.
    ///   - limit: 1 to 200; fewer messages do not mean that there are no more.
    ///   - withChanges: whether to include the records of changes, at their positions in the log.
    public func history(
        of conversation: ConversationID, at position: HistoryPosition = .newest, limit: Int = 50,
        withChanges: Bool = false
    ) async throws(ClientError) -> HistorySlice {
        try await context.historyReader.slice(
            of: conversation, at: position, limit: min(max(limit, 1), Limits.pageItems),
            withChanges ? .everything : .messages)
    }

    /// Stored messages with all words of `text`, newest first.
    ///
    /// - Parameters:
    ///   - text: beginnings of words; words in double quotes must be adjacent.
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
