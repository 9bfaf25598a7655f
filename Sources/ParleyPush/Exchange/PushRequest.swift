import HTTPClient
import ParleyProtocol

/// A POST to a push service.
struct PushRequest: Hashable, Sendable {
    let url: String
    private(set) var headers: [HTTPRequest.Header]
    let body: [UInt8]

    init(url: String, headers: KeyValuePairs<String, String>, body: [UInt8]) {
        self.url = url
        self.headers = headers.map { HTTPRequest.Header(name: $0.key, value: $0.value) }
        self.body = body
    }

    /// `nil` leaves it out.
    mutating func add(_ name: String, _ value: String?) {
        if let value { headers.append(HTTPRequest.Header(name: name, value: value)) }
    }

    subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// The parts of an answer that are read.
struct PushReply: Hashable, Sendable {
    /// No more bytes of a body are read.
    static let bodyLimit = 4096

    let status: Int
    let isHTTP2: Bool
    let retryAfter: String?
    let body: [UInt8]

    init(status: Int, isHTTP2: Bool = false, retryAfter: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.isHTTP2 = isHTTP2
        self.retryAfter = retryAfter
        self.body = body
    }

    var isSuccess: Bool { (200...299).contains(status) }
}

/// What an answer means for the notification, and for the service.
struct ServiceAnswer: Hashable, Sendable {
    let answer: PushAnswer
    let health: ServiceHealth
    /// Whether the gateway's own token was refused: another may be accepted.
    let needsToken: Bool

    init(_ answer: PushAnswer, _ health: ServiceHealth, needsToken: Bool = false) {
        (self.answer, self.health, self.needsToken) = (answer, health, needsToken)
    }

    init(_ failure: SendFailure) { self.init(.later(failure.problem, after: nil), .fails) }

    /// The answer of an endpoint, by its status.
    ///
    /// - Parameter gone: the statuses that end a registration.
    init(_ reply: PushReply, accepted: some Sequence<Int>, gone: [Int], now: Timestamp) {
        let problem = PushProblem(status: reply.status, "HTTP \(reply.status)")
        let later = PushAnswer.later(problem, after: RetryAfter.parse(reply.retryAfter, now: now))
        switch reply.status {
        case let status where accepted.contains(status): self.init(.accepted(status: status), .works)
        case let status where gone.contains(status): self.init(.ended(status: status, since: nil), .works)
        // Too many for one device of those that are reached there.
        case 408, 425, 429: self.init(later, .works)
        case 500...599: self.init(later, .fails)
        // Redirects too: nobody has checked where they lead.
        default: self.init(.refused(problem), .works)
        }
    }
}
