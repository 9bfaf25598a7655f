/// A response of HTTP/1.1 with a `Content-Length`, or the one that makes the connection a WebSocket.
struct HTTPResponse {
    let status: Int
    /// Where its body lies in what was read.
    let body: Range<Int>

    enum Malformed: Error { case response }

    /// The response that begins at `start`; `nil` while it is not whole.
    static func next(in bytes: borrowing [UInt8], from start: Int, to end: Int) throws -> HTTPResponse? {
        var (line, length, status) = (start, 0, 0)
        while let lineEnd = lineEnd(in: bytes, from: line, to: end) {
            if lineEnd == line {
                let body = (line + 2)..<(line + 2 + length)
                return body.upperBound <= end ? HTTPResponse(status: status, body: body) : nil
            }
            if line == start {
                // `HTTP/1.1 200 OK`
                guard lineEnd - line >= 12 else { throw Malformed.response }
                status = number(in: bytes, (line + 9)..<(line + 12))
            } else if isContentLength(bytes, line, lineEnd) {
                length = number(in: bytes, (line + contentLength.count)..<lineEnd)
            }
            line = lineEnd + 2
        }
        return nil
    }

    private static let contentLength = Array("content-length:".utf8)

    private static func lineEnd(in bytes: borrowing [UInt8], from start: Int, to end: Int) -> Int? {
        var index = start
        while index + 1 < end {
            if bytes[index] == 0x0D, bytes[index + 1] == 0x0A { return index }
            index += 1
        }
        return nil
    }

    private static func isContentLength(_ bytes: borrowing [UInt8], _ start: Int, _ end: Int) -> Bool {
        guard end - start > contentLength.count, bytes[start + 7] == UInt8(ascii: "-") else { return false }
        for index in contentLength.indices where bytes[start + index] | 0x20 != contentLength[index] | 0x20 {
            return false
        }
        return true
    }

    private static func number(in bytes: borrowing [UInt8], _ place: Range<Int>) -> Int {
        var value = 0
        for index in place where (0x30...0x39).contains(bytes[index]) {
            value = value &* 10 &+ Int(bytes[index] &- 0x30)
        }
        return value
    }
}
