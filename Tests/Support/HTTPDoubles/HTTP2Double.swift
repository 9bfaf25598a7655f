import Synchronization

/// A server of HTTP/2 over TLS in this process that answers, or misbehaves, as a test says.
package final class HTTP2Double: Sendable {
    package struct Request: Sendable {
        /// How many came before it.
        package let number: Int
        package let headers: [String: String]
        package let body: [UInt8]

        package var path: String { headers[":path"] ?? "" }

        package subscript(name: String) -> String? { headers[name] }
    }

    package enum Reaction: Sendable {
        case answer(Int, [(String, String)] = [], body: String = "")
        /// The stream is refused unprocessed (RFC 9113 §8.7).
        case refuse
        /// The connection goes away, and says that it has processed nothing (RFC 9113 §6.8).
        case goAway
        /// The connection goes away, says that it has processed this, and breaks.
        case goAwayAfter
        /// The connection goes away, and answers what it has processed, which is this.
        case answerAndLeave(Int)
        /// The stream is cancelled, with nothing said about what was processed.
        case cancel
        /// The connection breaks.
        case breakOff
        case silence
    }

    private let log: Log
    private let listener: Listener
    package var port: Int { listener.port }

    package init(protocols: [String] = ["h2"], _ react: @escaping @Sendable (Request) -> Reaction) throws {
        let tls = try ServerTLS(protocols: protocols)
        let log = Log()
        self.log = log
        listener = try Listener { descriptor in
            guard let stream = ServerStream(descriptor, tls) else { return }
            HTTP2Connection(stream) { headers, body in react(log.append(headers, body)) }?.run()
        }
    }

    package var url: String { "https://localhost:\(port)" }
    package var received: [Request] { log.requests.withLock { $0 } }
    package var connections: Int { listener.accepted }

    package func close() { listener.close() }

    private final class Log: Sendable {
        let requests = Mutex<[Request]>([])

        func append(_ headers: [String: String], _ body: [UInt8]) -> Request {
            requests.withLock { requests in
                let request = Request(number: requests.count, headers: headers, body: body)
                requests.append(request)
                return request
            }
        }
    }
}
