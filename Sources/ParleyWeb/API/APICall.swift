import ParleyProtocol

/// A call of the gateway whose body is not received yet.
package struct APICall: Sendable {
    enum Destination: Sendable {
        case operation(any Request.Type)
        case publishPublicKey
        /// `nil` for the caller's.
        case publicKey(of: UserID?)
        case createConversation
        case listConversations(query: [UInt8])
        case sendMessage
        case history(ConversationID, query: [UInt8])
        case markRead(ConversationID)
    }

    private let destination: Destination
    /// Of a success.
    private let status: Int
    private let contentType: String?
    private let idempotencyKey: String?

    init(_ destination: Destination, _ head: APIRequestHead, status: Int) {
        (self.destination, self.status) = (destination, status)
        (contentType, idempotencyKey) = (head.contentType, head.idempotencyKey)
    }

    /// The request to the gateway.
    ///
    /// - Parameters:
    ///   - body: all of it; an empty one is `{}`.
    ///   - caller: the signed-in device.
    package func call(body bytes: [UInt8], by caller: DeviceAddress) throws(APIRefusal) -> GatewayCall {
        switch destination {
        case .operation(let request):
            return try call(request, bytes, by: caller)
        case .publishPublicKey:
            let body = try read(bytes, as: PublishKeys.self)
            return try GatewayCall(
                PublishKeys.self, body.setting([("identity_key", try body.value("public_key"))]),
                .publicKey(of: caller.device))
        case .publicKey(let user):
            return try GatewayCall(
                GetKeys.self, GetKeys(user: user ?? caller.user).payload(), .publicKey(of: nil))
        case .createConversation:
            let body = try read(bytes, as: CreateConversation.self)
            return try GatewayCall(
                CreateConversation.self, body.setting(try missingID(in: body, of: CreateConversation.self, by: caller)),
                .data, status: status)
        case .listConversations(let query):
            return try GatewayCall(ListConversations.self, try APICall.list(query), .data)
        case .sendMessage:
            return try message(bytes, by: caller)
        case .history(let conversation, let query):
            return try GatewayCall(GetHistory.self, try APICall.page(of: conversation, query), .history)
        case .markRead(let conversation):
            let body = try read(bytes, as: MarkRead.self)
            return try GatewayCall(
                MarkRead.self, body.setting([("conversation_id", RequestBody.text("\(conversation)"))]),
                .data)
        }
    }

    /// An operation with its own fields. The body goes on as received; the door reads as little of it as it can.
    private func call(
        _ request: any Request.Type, _ bytes: [UInt8], by caller: DeviceAddress
    ) throws(APIRefusal) -> GatewayCall {
        guard request.namesWhatItMakes || !request.hasReply else {
            try RequestBody.check(contentType, of: bytes)
            return try GatewayCall(request, bytes.isEmpty ? RequestBody.empty : bytes, .reply)
        }
        let body = try read(bytes, as: request)
        guard request.hasReply else {
            // The gateway's refusal does not name the fault.
            try body.check(request)
            return try GatewayCall(request, body.object.source, .none(body.requestID))
        }
        if request == SendMessage.self { try body.refuseEchoAsReply() }
        return try GatewayCall(request, body.setting(try missingID(in: body, of: request, by: caller)), .reply)
    }

    /// A message in the form of the older guide, whose suite had no name.
    private func message(_ bytes: [UInt8], by caller: DeviceAddress) throws(APIRefusal) -> GatewayCall {
        let body = try read(bytes, as: SendMessage.self)
        try body.refuseEchoAsReply()
        var members = try missingID(in: body, of: SendMessage.self, by: caller)
        if body.givenValue("suite") == nil {
            members.append(("suite", RequestBody.text(APICall.suiteOfOlderApps)))
        }
        return try GatewayCall(
            SendMessage.self, body.setting(members),
            .message(sender: caller), status: status)
    }

    /// `crypto_box` without a header (protocol §6).
    static let suiteOfOlderApps = "legacy-nacl-box"

    // MARK: Bodies

    private func read(_ bytes: [UInt8], as request: any Request.Type) throws(APIRefusal) -> RequestBody {
        try RequestBody(bytes, of: request, contentType: contentType)
    }

    /// The id of the object that the request makes, unless the body has it: repeats, also the door's own, must name the
    /// same id.
    private func missingID(
        in body: RequestBody, of request: any Request.Type, by caller: DeviceAddress
    ) throws(APIRefusal) -> [(name: String, json: [UInt8])] {
        do throws(Rejection) {
            let key = try idempotencyKey.map { text throws(Rejection) in try IdempotencyKey(text) }
            guard body.givenValue("id") == nil else { return [] }
            let id = try key?.id(of: request.operation, by: caller) ?? UUIDValue.random()
            return [("id", RequestBody.text("\(MessageID(id))"))]
        } catch {
            throw APIRefusal(error, requestID: body.requestID)
        }
    }

    // MARK: Queries

    private static func list(_ query: [UInt8]) throws(APIRefusal) -> [UInt8] {
        do throws(Rejection) {
            let query = try APIQuery(query)
            let (limit, offset) = (try query.count("limit"), try query.count("offset"))
            let archived = try query.bool("archived")
            return JSONWriter.object { object in
                if let limit { object.member("limit", limit) }
                if let offset { object.member("offset", offset) }
                if let archived { object.member("archived", archived) }
            }
        } catch {
            throw APIRefusal(error)
        }
    }

    private static func page(of conversation: ConversationID, _ query: [UInt8]) throws(APIRefusal) -> [UInt8] {
        do throws(Rejection) {
            let query = try APIQuery(query)
            let (limit, before) = (try query.count("limit"), try query.id("before", as: MessageID.self))
            return JSONWriter.object { object in
                object.member("conversation_id", conversation)
                if let limit { object.member("limit", limit) }
                if let before { object.member("before", before) }
            }
        } catch {
            throw APIRefusal(error)
        }
    }
}
