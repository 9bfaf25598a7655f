import ParleyProtocol

extension APIResource {
    static let all: [APIResource] = [
        APIResource(
            name: "document", tag: "web", summary: "This document.", method: .get, template: "openapi.json",
            reply: .document
        ) { _, _ in .document },
        APIResource(
            name: "ticket", tag: "web", summary: "A ticket that opens one WebSocket within 30 seconds.", method: .post,
            template: "ws-ticket", reply: .inline(IssuedTicket.self)
        ) { _, _ in .ticket },
        APIResource(
            name: "publishPublicKey", tag: "keys", summary: "Publishes the public key of the calling device.",
            method: .post, template: "users/me/public-key",
            body: Body(request: PublishKeys.self) { $0.rename("identity_key", to: "public_key") },
            reply: .inline(PublicKey.self)
        ) { _, _ in .call(.publishPublicKey) },
        APIResource(
            name: "ownPublicKey", tag: "keys", summary: "The public key of the caller's newest device.", method: .get,
            template: "users/me/public-key", reply: .inline(PublicKey.self)
        ) { _, _ in .call(.publicKey(of: nil)) },
        APIResource(
            name: "publicKey", tag: "keys", summary: "The public key of a user's newest device.", method: .get,
            template: "users/{id}/public-key", parameters: [.path(.user)], reply: .inline(PublicKey.self)
        ) { (id, _) throws(APIRefusal) in
            guard let user = UserID(parsing: id.span) else { throw APIRefusal(.userNotFound) }
            return .call(.publicKey(of: user))
        },
        APIResource(
            name: "createConversation", tag: "conversations", summary: "Makes a direct conversation or a group.",
            method: .post, template: "conversations", status: 201, parameters: [.idempotencyKey],
            body: Body(request: CreateConversation.self), reply: .object(Conversation.self)
        ) { _, _ in .call(.createConversation) },
        APIResource(
            name: "listConversations", tag: "conversations",
            summary: "The caller's conversations, the last active first.", method: .get, template: "conversations",
            parameters: [.fields(["limit", "offset", "archived"], of: ListConversations.self)],
            reply: .object(ConversationList.self)
        ) { _, query in .call(.listConversations(query: query)) },
        APIResource(
            name: "sendMessage", tag: "messages",
            summary: "Sends a sealed message to a conversation, and answers with all of it.", method: .post,
            template: "messages", status: 201, parameters: [.idempotencyKey],
            body: Body(request: SendMessage.self) { $0.makeOptional("suite") }, reply: .object(MessageRecord.self)
        ) { _, _ in .call(.sendMessage) },
        APIResource(
            name: "history", tag: "history", summary: "A page of a conversation's messages, the newest page first.",
            method: .get, template: "conversations/{id}/messages",
            parameters: [
                .path(ConversationID.schema), .fields(["limit"], of: GetHistory.self),
                .query("before", MessageID.schema),
            ], reply: .inline(OlderHistoryPage.self)
        ) { (id, query) throws(APIRefusal) in .call(.history(try conversation(id), query: query)) },
        APIResource(
            name: "markRead", tag: "receipts", summary: "Everything up to this message has been read.", method: .post,
            template: "conversations/{id}/read", parameters: [.path(ConversationID.schema)],
            body: Body(request: MarkRead.self) { $0.remove("conversation_id") }, reply: .object(Watermark.self)
        ) { (id, _) throws(APIRefusal) in .call(.markRead(try conversation(id))) },
    ]

    private static func conversation(_ id: [UInt8]) throws(APIRefusal) -> ConversationID {
        guard let conversation = ConversationID(parsing: id.span) else {
            throw APIRefusal(.conversationNotFound)
        }
        return conversation
    }
}
