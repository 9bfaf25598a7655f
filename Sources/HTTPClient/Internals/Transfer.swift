import CCurl
import Platform

/// A request or mail on its way, used by the loop's thread alone.
final class Transfer {
    let id: TransferID
    let origin: HTTPOrigin
    let trust: TrustStore
    private let work: TransferWork
    private let limits: HTTPLimits
    private var easy: EasyHandle

    /// The number of payload bytes sent.
    private var sent = 0
    private var head: Head
    private var body: [UInt8] = []
    /// Whether the request was begun on an open connection.
    private var isIssued = false

    /// The lines that a server sends beside a body.
    private enum Head {
        case http(ReplyHead)
        /// The number of bytes of its answers, which libcurl reads.
        case smtp(bytes: Int)
    }

    init(
        _ command: LoopCommand.Start, trust: TrustStore, limits: HTTPLimits, now: ContinuousClock.Instant
    ) throws(CurlError) {
        id = command.id
        origin = command.origin
        self.trust = trust
        work = command.work
        self.limits = limits
        switch command.work {
        case .request: head = .http(ReplyHead())
        case .mail: head = .smtp(bytes: 0)
        }
        easy = try EasyHandle()
        try TransferCallbacks.install(for: self, on: easy)
        switch command.work {
        case .request(let request, _): try easy.set(request)
        case .mail(let mail, _): try easy.set(mail, limits: limits)
        }
        try easy.setConnection(to: origin.address, limits: limits)
        try easy.set(CURLOPT_TIMEOUT_MS, max(1, (command.end - now).wholeMilliseconds))
    }

    /// `CURL`
    var handle: UnsafeMutableRawPointer { unsafe easy.pointer }

    func readPayload(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = work.payload[sent...].prefix(buffer.count)
        unsafe buffer.copyBytes(from: part)
        sent += part.count
        return part.count
    }

    /// - Returns: the number of bytes taken; any but all of them ends the transfer.
    func append(head line: UnsafeRawBufferPointer) -> Int {
        switch head {
        case .http(var head):
            let isValid = unsafe head.append(line: Array(line), limit: limits.head)
            self.head = .http(head)
            return isValid ? line.count : 0
        case .smtp(let bytes):
            head = .smtp(bytes: bytes + line.count)
            return bytes + line.count <= limits.head ? line.count : 0
        }
    }

    /// - Returns: the number of bytes taken; any but all of them ends the transfer.
    func append(body part: UnsafeRawBufferPointer) -> Int {
        unsafe body += part.prefix(max(0, limits.body - body.count))
        return body.count < limits.body ? part.count : 0
    }

    /// Notes that the request is begun on an open connection.
    func begin() { isIssued = true }

    /// Reports the result. An answer with a complete head counts, however the transfer ended.
    ///
    /// - Returns: whether the time ran out before an answer on an open connection.
    func finish(_ code: CURLcode) -> Bool {
        switch (work, head) {
        case (.request(_, let answer), .http(let head)) where head.isWhole:
            answer(
                .success(
                    HTTPReply(status: head.status, isHTTP2: head.isHTTP2, headers: head.headers, body: body)))
            return false
        case (.request, _):
            let failure = easy.failure(code, isIssued: isIssued)
            work.fail(failure)
            return failure == .noAnswerInTime
        case (.mail(let mail, let answer), _):
            // A mail is accepted by the answer to its end alone (RFC 5321 §4.2.5).
            let isComplete = isIssued && sent == mail.message.count
            answer(easy.mailResult(code, isIssued: isIssued, isComplete: isComplete))
            return false
        }
    }

    func fail(_ failure: SendFailure) { work.fail(failure) }

    func cancel() {
        let reason = "the sender has stopped"
        fail(isIssued ? .answerLost(reason) : .notSent(reason))
    }
}

struct TransferID: Hashable, Sendable {
    let number: UInt64
}

extension Duration {
    /// Rounded up, from zero to a day.
    var wholeMilliseconds: Int {
        let bounded = min(max(self, .zero), .seconds(86_400))
        return Int(bounded.components.seconds) * 1000
            + Int((bounded.components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
