/// A request of a probe: as much of HTTP/1.1 (RFC 9112) as a GET without a body takes.
struct ProbeRequest: Hashable {
    let path: String
    /// Whether only the head of the answer is asked for.
    let isHead: Bool

    /// What the bytes that have come are.
    enum Reading: Hashable {
        /// The end of the head has not come.
        case incomplete
        case request(ProbeRequest)
        case refused(ProbeResponse)
    }

    /// The longest head that is read.
    static let longest = 4096

    static func read(_ bytes: [UInt8]) -> Reading {
        guard let end = endOfHead(in: bytes) else {
            return bytes.count < longest ? .incomplete : .refused(ProbeResponse(.headTooLarge))
        }
        guard end <= longest else { return .refused(ProbeResponse(.headTooLarge)) }
        let line = bytes[..<end].prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, ["HTTP/1.1", "HTTP/1.0"].contains(String(decoding: parts[2], as: UTF8.self)),
            parts[1].first == UInt8(ascii: "/"), parts[1].allSatisfy({ (0x21...0x7E).contains($0) })
        else { return .refused(ProbeResponse(.badRequest)) }
        let method = String(decoding: parts[0], as: UTF8.self)
        guard ["GET", "HEAD"].contains(method) else { return .refused(ProbeResponse(.methodNotAllowed)) }
        let path = parts[1].prefix { $0 != UInt8(ascii: "?") }
        return .request(ProbeRequest(path: String(decoding: path, as: UTF8.self), isHead: method == "HEAD"))
    }

    /// The end of the empty line. A line may end without the carriage return (RFC 9112 §2.2).
    private static func endOfHead(in bytes: [UInt8]) -> Int? {
        var lineStart = 0
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
            let line = bytes[lineStart..<index]
            if index > 0, line.isEmpty || line.elementsEqual([UInt8(ascii: "\r")]) { return index + 1 }
            lineStart = index + 1
        }
        return nil
    }
}

/// The answer to a probe. The connection ends with it.
package struct ProbeResponse: Hashable, Sendable {
    enum Status: Int {
        case ok = 200
        case badRequest = 400
        case notFound = 404
        case methodNotAllowed = 405
        case headTooLarge = 431
        case unavailable = 503

        var reason: String {
            switch self {
            case .ok: "OK"
            case .badRequest: "Bad Request"
            case .notFound: "Not Found"
            case .methodNotAllowed: "Method Not Allowed"
            case .headTooLarge: "Request Header Fields Too Large"
            case .unavailable: "Service Unavailable"
            }
        }
    }

    let status: Status
    let contentType: String
    let body: [UInt8]

    init(_ status: Status, _ body: [UInt8], contentType: String) {
        (self.status, self.body, self.contentType) = (status, body, contentType)
    }

    /// - Parameter text: without one, what the status means.
    init(_ status: Status, _ text: String? = nil) {
        self.init(status, Array("\(text ?? status.reason)\n".utf8), contentType: "text/plain; charset=utf-8")
    }

    /// The bytes to send.
    func encoded(isHead: Bool = false) -> [UInt8] {
        var head = """
            HTTP/1.1 \(status.rawValue) \(status.reason)\r
            Content-Type: \(contentType)\r
            Content-Length: \(body.count)\r
            Cache-Control: no-store\r
            X-Content-Type-Options: nosniff\r
            Connection: close\r

            """
        if status == .methodNotAllowed { head += "Allow: GET, HEAD\r\n" }
        return Array("\(head)\r\n".utf8) + (isHead ? [] : body)
    }
}
