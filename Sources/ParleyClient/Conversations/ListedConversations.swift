import ParleyProtocol

extension MessagingClient.Conversations {
    /// The conversations as the gateway lists them: archived ones last, each group by their last activity. Nothing is
    /// followed, fetched or marked by it.
    public func listed() async throws(ClientError) -> [Conversation] {
        var listed: [Conversation] = []
        for archived in [false, true] {
            var offset = 0
            while listed.count < ConversationLogs.capacity {
                let request = ListConversations(limit: Limits.pageItems, offset: offset, archived: archived)
                let page = try await client.ask(request).conversations
                listed += page
                offset += page.count
                guard page.count == Limits.pageItems else { break }
            }
        }
        return listed
    }
}
