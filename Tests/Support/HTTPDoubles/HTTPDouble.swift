import Platform
import Synchronization

/// A server of HTTP/1.1 in this process that answers, or misbehaves, as a test says.
package final class HTTPDouble: Sendable {
    package struct Request: Sendable {
        package let head: String
        package let body: [UInt8]

        /// The value of a header, by its name in lower case.
        package subscript(name: String) -> String? {
            for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix(name + ": ") {
                return String(line.dropFirst(name.count + 2))
            }
            return nil
        }

        package var path: String { String(head.split(separator: " ")[1]) }
    }

    package enum Reaction: Sendable {
        case answer(Int, [(String, String)] = [], body: String = "")
        /// An answer that takes its time.
        case late(Int)
        /// These bytes, and then the end of the connection.
        case bytes(String)
        /// As `bytes`, of a body that is no text.
        case lastBytes([UInt8])
        /// A whole answer, head and body.
        case content([UInt8])
        /// These bytes, and then nothing, on a connection that stays.
        case begun(String)
        /// An answer whose body never ends.
        case endless(Int)
        case silence
    }

    private let requests: Log
    private let listener: Listener
    package var port: Int { listener.port }

    package init(
        isTLS: Bool = false, certificate: String = TestKeys.certificate,
        _ react: @escaping @Sendable (Request) -> Reaction
    ) throws {
        let tls = isTLS ? try ServerTLS(protocols: ["http/1.1"], certificate: certificate) : nil
        let requests = Log()
        self.requests = requests
        listener = try Listener { descriptor in
            guard let stream = ServerStream(descriptor, tls) else { return }
            HTTPDouble.serve(stream, requests, react)
        }
    }

    package var received: [Request] { requests.list.withLock { $0 } }
    package var connections: Int { listener.accepted }
    package var openConnections: Int { listener.open }

    package func url(_ path: String = "/hook") -> String { "http://127.0.0.1:\(port)\(path)" }

    package func close() { listener.close() }

    private final class Log: Sendable {
        let list = Mutex<[Request]>([])
    }

    private static func serve(_ stream: ServerStream, _ log: Log, _ react: (Request) -> Reaction) {
        var bytes: [UInt8] = []
        while let part = stream.read() {
            bytes += part
            while let request = takeRequest(&bytes) {
                log.list.withLock { $0.append(request) }
                guard perform(react(request), on: stream) else { return }
            }
        }
    }

    private static func takeRequest(_ bytes: inout [UInt8]) -> Request? {
        let end = Array("\r\n\r\n".utf8)
        guard let headEnd = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return nil }
        let head = String(decoding: bytes[..<headEnd], as: UTF8.self)
        let length = Int(Request(head: head, body: [])["content-length"] ?? "0") ?? 0
        guard bytes.count >= headEnd + 4 + length else { return nil }
        let request = Request(head: head, body: Array(bytes[(headEnd + 4)..<(headEnd + 4 + length)]))
        bytes.removeFirst(headEnd + 4 + length)
        return request
    }

    /// - Returns: whether the connection goes on.
    private static func perform(_ reaction: Reaction, on stream: ServerStream) -> Bool {
        switch reaction {
        case .silence: return true
        case .begun(let text): return stream.write(Array(text.utf8))
        case .bytes(let text): return perform(.lastBytes(Array(text.utf8)), on: stream)
        case .lastBytes(let bytes):
            stream.write(bytes)
            return false
        case .content(let bytes): return stream.write(bytes)
        case .answer(let status, let headers, let body):
            let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
            let text = "HTTP/1.1 \(status) X\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            return stream.write(Array(text.utf8))
        case .late(let status):
            usleep(200_000)
            return perform(.answer(status), on: stream)
        case .endless(let status):
            stream.write(Array("HTTP/1.1 \(status) X\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
            let piece = Array(("400\r\n" + String(repeating: "x", count: 1024) + "\r\n").utf8)
            while stream.write(piece) { usleep(5000) }
            return false
        }
    }
}
