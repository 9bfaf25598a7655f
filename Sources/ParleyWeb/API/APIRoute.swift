import ParleyProtocol

/// The head of an HTTP request to the API, by which it is routed before its body is read.
package struct APIRequestHead: Hashable, Sendable {
    package let method: String
    /// In origin form, as received: path and query.
    package let target: String
    package let contentType: String?
    /// The value of `Idempotency-Key`.
    package let idempotencyKey: String?

    package init(method: String, target: String, contentType: String? = nil, idempotencyKey: String? = nil) {
        (self.method, self.target) = (method, target)
        (self.contentType, self.idempotencyKey) = (contentType, idempotencyKey)
    }
}

/// The destination of a request, by its method and path.
package enum APIRoute: Sendable {
    /// The gateway, by a signed-in device.
    case call(APICall)
    /// The gateway, by the door's own device, for a client without a token.
    case account(AccountCall)
    /// A ticket for a WebSocket, for a signed-in device.
    case ticket
    /// The OpenAPI document, for everyone.
    case document

    /// - Throws: 404 for an unknown path, 405 for a method that the path does not have.
    package init(_ head: APIRequestHead) throws(APIRefusal) {
        guard let target = APITarget(head.target) else { throw .unknownPath }
        let (resources, id) = APIResource.at(target.path)
        if !resources.isEmpty {
            guard let resource = resources.first(where: { $0.method.rawValue == head.method }) else {
                throw .method(allowed: resources.map(\.method))
            }
            self = try APIRoute(resource, id: id, target.query, head)
        } else if let request = APIRoute.request(at: target.path) {
            guard head.method == APIMethod.post.rawValue else { throw .method(allowed: [.post]) }
            self =
                request.askers == .doors
                ? .account(AccountCall(request, head)) : .call(APICall(.operation(request), head))
        } else {
            throw .unknownPath
        }
    }

    /// The operation at `{area}/{verb}`.
    private static func request(at path: [[UInt8]]) -> (any Request.Type)? {
        guard path.count == 2,
            let operation = Operation(
                area: String(decoding: path[0], as: UTF8.self), verb: String(decoding: path[1], as: UTF8.self))
        else { return nil }
        return OperationTable.request(operation)
    }

    private init(
        _ resource: APIResource, id: [UInt8], _ query: [UInt8], _ head: APIRequestHead
    ) throws(APIRefusal) {
        let destination: APICall.Destination
        switch resource {
        case .document:
            self = .document
            return
        case .ticket:
            self = .ticket
            return
        case .publishPublicKey: destination = .publishPublicKey
        case .ownPublicKey: destination = .publicKey(of: nil)
        case .publicKey:
            guard let user = UserID(parsing: id.span) else { throw APIRefusal(.userNotFound) }
            destination = .publicKey(of: user)
        case .createConversation: destination = .createConversation
        case .listConversations: destination = .listConversations(query: query)
        case .sendMessage: destination = .sendMessage
        case .history: destination = .history(try APIRoute.conversation(id), query: query)
        case .markRead: destination = .markRead(try APIRoute.conversation(id))
        }
        self = .call(APICall(destination, head))
    }

    private static func conversation(_ id: [UInt8]) throws(APIRefusal) -> ConversationID {
        guard let conversation = ConversationID(parsing: id.span) else {
            throw APIRefusal(.conversationNotFound)
        }
        return conversation
    }
}
