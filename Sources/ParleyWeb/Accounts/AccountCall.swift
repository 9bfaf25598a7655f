import ParleyProtocol

/// A request about an account, by a client without a token, whose body is not received yet. The door sends it to the
/// gateway by its own device.
package struct AccountCall: Sendable {
    private let request: any Request.Type
    private let contentType: String?
    private let idempotencyKey: String?

    /// The longest body, in bytes. An identity token is the longest field.
    package static let longestBody = 32_768

    init(_ request: any Request.Type, _ head: APIRequestHead) {
        self.request = request
        (contentType, idempotencyKey) = (head.contentType, head.idempotencyKey)
    }

    /// The request to the gateway.
    ///
    /// - Parameters:
    ///   - body: all of it; an empty one is `{}`.
    ///   - network: the client's, in place of the body's.
    package func call(body bytes: [UInt8], from network: ClientNetwork) throws(APIRefusal) -> GatewayCall {
        let body = try RequestBody(bytes, of: request, contentType: contentType)
        guard request.namesWhatItMakes else { return try GatewayCall(request, body.object.source, .reply) }
        var members = try missingID(in: body)
        members.append((ClientNetwork.field, network.json))
        return try GatewayCall(request, body.setting(members), .reply)
    }

    /// The id of the request, unless the body has it.
    private func missingID(in body: RequestBody) throws(APIRefusal) -> [(name: String, json: [UInt8])] {
        do throws(Rejection) {
            let key = try idempotencyKey.map { text throws(Rejection) in try IdempotencyKey(text) }
            guard body.givenValue("id") == nil else { return [] }
            let id = try key?.id(of: request.operation, fields: body.object) ?? UUIDValue.random()
            return [("id", RequestBody.text("\(AccountRequestID(id))"))]
        } catch {
            throw APIRefusal(error, requestID: body.requestID)
        }
    }
}

extension ClientNetwork {
    fileprivate var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.finish()
    }
}
