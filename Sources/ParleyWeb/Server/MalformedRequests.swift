import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import ParleyProtocol

/// Adds the error body of protocol §4 to the server's empty 400 for a malformed second or later request on a
/// connection.
final class MalformedRequests: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var error: (any Error)?

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.error = error
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let error, case .head(let head) = unwrapOutboundIn(data), head.status == .badRequest,
            head.headerFields[.contentLength] == "0"
        else { return context.write(data, promise: promise) }
        let response = APIResponse(malformedBy: error)
        var fields = response.fields
        fields[.connection] = "close"
        let status = HTTPResponse.Status(code: response.status)
        context.write(wrapOutboundOut(.head(HTTPResponse(status: status, headerFields: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: response.body))), promise: promise)
    }
}

extension APIResponse {
    /// The response to a malformed request, by the parser's error.
    init(malformedBy error: any Error) {
        // RFC 6585 §5 for headers that are too long.
        let status = error as? HTTPParserError == .headerOverflow ? 431 : 400
        self.init(Rejection(.badRequest, "This is no request of HTTP/1.1."), status: status)
    }
}
