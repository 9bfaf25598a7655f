import ParleyProtocol

/// An HTTP response with JSON.
package struct APIResponse: Hashable, Sendable {
    package let status: Int
    package let body: [UInt8]
    /// For 429 and 503.
    package let retryAfterSeconds: Int?
    /// For 405: the methods of the path.
    package let allow: String?

    package init(status: Int, body: [UInt8], retryAfterSeconds: Int? = nil, allow: String? = nil) {
        (self.status, self.body, self.retryAfterSeconds, self.allow) = (status, body, retryAfterSeconds, allow)
    }

    /// The header fields beside `Content-Length` and `Date`. A response is for one device alone: no cache stores it
    /// (RFC 9111 §5.2.2.5).
    package var headers: [(name: String, value: String)] {
        var headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        if let retryAfterSeconds { headers.append(("Retry-After", String(retryAfterSeconds))) }
        if let allow { headers.append(("Allow", allow)) }
        if status == 401 { headers.append(("WWW-Authenticate", "Bearer")) }
        return headers
    }
}

extension APIResponse {
    /// A refusal by the door, in the form of the gateway's (protocol §4).
    ///
    /// - Parameter status: where HTTP is more exact than the code.
    package init(
        _ rejection: Rejection, requestID: RequestID? = nil, status: Int? = nil, allow: String? = nil
    ) {
        var writer = JSONWriter()
        Reply.writeRejected(requestID, rejection, to: &writer)
        self.init(
            status: status ?? rejection.code.httpStatus, body: writer.finish(),
            retryAfterSeconds: rejection.code.retryAfterSeconds(milliseconds: rejection.retryAfterMilliseconds),
            allow: allow)
    }
}

/// A request that the door refuses before the gateway sees it.
package struct APIRefusal: Error, Hashable, Sendable {
    package let rejection: Rejection
    package let status: Int
    /// For 405.
    package let allow: String?
    package let requestID: RequestID?

    init(_ rejection: Rejection, status: Int? = nil, allow: String? = nil, requestID: RequestID? = nil) {
        self.rejection = rejection
        self.status = status ?? rejection.code.httpStatus
        self.allow = allow
        self.requestID = requestID
    }

    package var response: APIResponse {
        APIResponse(rejection, requestID: requestID, status: status, allow: allow)
    }

    static let unknownPath = APIRefusal(Rejection(.notFound, "There is nothing at this path."))

    /// - Parameter allowed: at least one, as RFC 9110 §15.5.6 requires.
    static func method(allowed: [APIMethod]) -> APIRefusal {
        let names = APIMethod.allCases.filter(allowed.contains).map(\.rawValue).joined(separator: ", ")
        return APIRefusal(Rejection(.badRequest, "This path takes only \(names)."), status: 405, allow: names)
    }

    static let contentType = APIRefusal(
        Rejection(.badRequest, "The body is not application/json."), status: 415)
}

/// The methods of the API. No path has another, such as HEAD.
package enum APIMethod: String, Hashable, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
}
