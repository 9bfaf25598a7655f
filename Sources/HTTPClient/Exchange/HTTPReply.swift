package struct HTTPReply: Hashable, Sendable {
    package let status: Int
    package let isHTTP2: Bool
    package let headers: [HTTPRequest.Header]
    /// At most ``HTTPLimits/body`` bytes.
    package let body: [UInt8]

    /// The value of the first header with this lower-case name.
    package subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// The reason why a request has no answer.
package enum SendFailure: Error, Hashable, Sendable {
    /// There was no connection to send it on.
    case notSent(String)
    /// At least a part was sent, and no answer has come. libcurl does not tell a stream that HTTP/2 promises not to
    /// have processed (RFC 9113 §8.7) from a connection that died: both are lost answers.
    case answerLost(String)

    package static let noAnswerInTime = SendFailure.answerLost("no answer in time")
}

/// The head of an answer, read line by line.
struct ReplyHead {
    private enum State {
        /// Before the status, or after an interim answer (RFC 9110 §15.2).
        case awaitingStatus
        /// After the status, within the headers.
        case reading
        /// Complete: the body and its trailers follow.
        case whole
    }

    private var state = State.awaitingStatus
    private var bytes = 0
    private(set) var status = 0
    private(set) var isHTTP2 = false
    private(set) var headers: [HTTPRequest.Header] = []

    var isWhole: Bool {
        switch state {
        case .whole: true
        case .awaitingStatus, .reading: false
        }
    }

    /// Appends a line with its end.
    ///
    /// - Parameter limit: of all lines together, in bytes.
    /// - Returns: whether the head is still valid.
    mutating func append(line: some Collection<UInt8>, limit: Int) -> Bool {
        bytes += line.count
        guard bytes <= limit else { return false }
        switch state {
        case .awaitingStatus: return readStatus(Array(line))
        case .whole: return true
        case .reading:
            guard line.contains(where: { $0 != 0x0D && $0 != 0x0A }) else {
                state = status < 200 ? .awaitingStatus : .whole
                return true
            }
            readHeader(line)
            return true
        }
    }

    /// `HTTP/1.1 200 OK`, `HTTP/2 200`
    private mutating func readStatus(_ line: [UInt8]) -> Bool {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count >= 2, words[0].starts(with: "HTTP/".utf8) else { return false }
        let digits = words[1].prefix { $0 != 0x0D && $0 != 0x0A }
        guard digits.count == 3, let status = Int(String(decoding: digits, as: UTF8.self)),
            (100...999).contains(status)
        else { return false }
        self.status = status
        isHTTP2 = words[0].dropFirst(5).first == UInt8(ascii: "2")
        headers = []
        state = .reading
        return true
    }

    private mutating func readHeader(_ line: some Collection<UInt8>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
        let value = Array(line[colon...].dropFirst().drop(while: isBlank))
        let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0
        headers.append(
            HTTPRequest.Header(
                name: String(decoding: line[..<colon], as: UTF8.self).lowercased(),
                value: String(decoding: value[..<end], as: UTF8.self)))
    }
}
