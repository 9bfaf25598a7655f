import ParleyProtocol

/// A request to the gateway, and the form of the HTTP response to it.
package struct GatewayCall: Sendable {
    package let operation: Operation
    /// May be sent again unchanged: it names the object that it makes.
    package let payload: [UInt8]
    private let answer: Answer
    /// Of a success.
    private let status: Int

    enum Answer: Sendable {
        /// The reply as received.
        case reply
        /// The gateway sends no reply.
        case none(RequestID?)
        /// The reply's data.
        case data
        /// The message as its sender has it.
        case message(sender: DeviceAddress)
        /// The key of this device, or of the newest.
        case publicKey(of: DeviceID?)
        case history
    }

    init(
        _ request: any Request.Type, _ payload: [UInt8], _ answer: Answer, status: Int = 200
    ) throws(APIRefusal) {
        guard payload.count <= Limits.requestBytes else {
            throw APIRefusal(Rejection(.tooLarge, "The payload is longer than \(Limits.requestBytes) bytes."))
        }
        (operation, self.payload, self.answer, self.status) = (request.operation, payload, answer, status)
    }

    /// The response once the request is published, if the gateway never replies to it (typing): 202, since its outcome
    /// is unknown (RFC 9110 §15.3.3). `nil` if there will be a reply.
    package var responseWithoutReply: APIResponse? {
        guard case .none(let requestID) = answer else { return nil }
        var writer = JSONWriter()
        Reply.writeAccepted(requestID, to: &writer) { $0.object { _ in } }
        return APIResponse(status: 202, body: writer.finish())
    }

    /// - Parameter reply: the payload of the gateway's reply.
    package func response(to reply: [UInt8]) -> APIResponse {
        let outcome = ReplyOutline(reply)
        switch outcome {
        case .rejected: return APIResponse(rejectedBy: reply)
        case .unreadable: return APIResponse(.internalFault)
        case .accepted(let data): return success(reply, data) ?? APIResponse(.internalFault)
        }
    }

    /// `nil` for a malformed reply.
    private func success(_ reply: [UInt8], _ data: JSONWalker) -> APIResponse? {
        switch answer {
        case .reply, .none:
            return APIResponse(status: status, body: reply)
        case .data:
            var data = data
            let place = data.skipValue(reply.span).place
            return APIResponse(status: status, body: Array(reply[place]))
        case .message(let sender):
            return AcceptedMessage.json(reply, to: payload, from: sender).map {
                APIResponse(status: status, body: $0)
            }
        case .history:
            return OlderHistoryPage.json(of: reply, data.inner).map { APIResponse(status: status, body: $0) }
        case .publicKey(let device):
            return PublicKey.response(to: reply, of: device)
        }
    }
}

extension APIResponse {
    /// A refusal by the gateway, as received. The status follows from its code; an unknown code is a fault.
    fileprivate init(rejectedBy reply: [UInt8]) {
        guard let error = try? JSONObject(parsing: reply).object("error"),
            let code = try? error.named("code", as: ErrorCode.self)?.value
        else {
            self.init(status: ErrorCode.internal.httpStatus, body: reply)
            return
        }
        let wait = (try? error.integer("retry_after_ms", in: 0...Int.max)) ?? nil
        self.init(
            status: code.httpStatus, body: reply, retryAfterSeconds: code.retryAfterSeconds(milliseconds: wait))
    }
}

/// The outline of a gateway's reply (protocol §4), found without a scan of its data: a page of history is long.
enum ReplyOutline {
    /// A walker at the data.
    case accepted(JSONWalker)
    case rejected
    case unreadable

    init(_ reply: [UInt8]) {
        let bytes = reply.span
        var walker = JSONWalker(0..<bytes.count)
        var isAccepted: Bool?
        while let name = walker.nextKey(bytes) {
            let name = bytes.extracting(name)
            if name.equals("data"), isAccepted == true {
                self = .accepted(walker)
                return
            }
            let value = walker.skipValue(bytes)
            if name.equals("ok") { isAccepted = value.kind == .true }
        }
        self = isAccepted == false ? .rejected : .unreadable
    }
}
