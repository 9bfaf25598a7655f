import AsyncHTTPClient
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import Platform

extension SendFailure {
    /// What an error of the HTTP client says of a request, by whose task it was not cancelled.
    ///
    /// Whatever is not known to have come before the request was sent counts as an answer that was lost.
    init(_ error: any Error) {
        switch error {
        case let error as SendFailure: self = error
        case let error as HTTPClientError: self = SendFailure(client: error)
        case let error as NIOHTTP2Errors.StreamClosed where error.errorCode == .refusedStream: self = .refusedStream
        case is NIOHTTP2Errors.CreatedStreamAfterGoaway: self = .refusedStream
        case let error as NIOHTTP2Errors.StreamError: self = SendFailure(error.baseError)
        case is NIOConnectionError: self = .notSent("no connection")
        case is SocketAddressError: self = .notSent("no such host")
        case let error as IOError where SendFailure.beforeConnections.contains(error.errnoCode):
            self = .notSent("no connection")
        case is IOError: self = .answerLost("the connection broke")
        case let error as NIOSSLError:
            switch error {
            case .uncleanShutdown, .readInInvalidTLSState: self = .answerLost("the connection broke")
            case .handshakeFailed: self = .notSent("the TLS handshake failed")
            default: self = .answerLost("TLS failed")
            }
        case is NIOSSLExtraError: self = .notSent("the certificate is not the host's")
        default: self = .answerLost("the exchange failed")
        }
    }

    private init(client error: HTTPClientError) {
        switch error {
        case .connectTimeout: self = .notSent("no connection in time")
        case .tlsHandshakeTimeout: self = .notSent("no TLS handshake in time")
        case .getConnectionFromPoolTimeout: self = .notSent("no free connection in time")
        case .invalidURL, .emptyHost, .emptyScheme: self = .notSent("not a URL")
        case .alreadyShutdown: self = .notSent("the sender has stopped")
        // A stream of a connection that was already going away: it was never opened.
        case .cancelled: self = .refusedStream
        case .deadlineExceeded, .readTimeout, .writeTimeout: self = .noAnswerInTime
        case .remoteConnectionClosed: self = .answerLost("closed without an answer")
        default: self = .answerLost("the exchange failed")
        }
    }

    /// What `connect` fails with and nothing later does.
    private static let beforeConnections: [Int32] = [ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, ENETDOWN]
}
