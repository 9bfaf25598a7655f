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
            switch try resource.destination(id, target.query) {
            case .call(let destination): self = .call(APICall(destination, head, status: resource.status))
            case .ticket: self = .ticket
            case .document: self = .document
            }
        } else if let request = APIRoute.request(at: target.path) {
            guard head.method == APIMethod.post.rawValue else { throw .method(allowed: [.post]) }
            self =
                request.askers == .doors
                ? .account(AccountCall(request, head)) : .call(APICall(.operation(request), head, status: 200))
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
        guard let request = OperationTable.request(operation), request.askers != .doorsAlone else { return nil }
        return request
    }
}
