import HTTPClient

/// A POST to a push service.
struct PushRequest: Hashable, Sendable {
    struct Header: Hashable, Sendable {
        let name: String
        let value: String
    }

    let url: String
    private(set) var headers: [Header]
    let body: [UInt8]

    init(url: String, headers: KeyValuePairs<String, String>, body: [UInt8]) {
        self.url = url
        self.headers = headers.map { Header(name: $0.key, value: $0.value) }
        self.body = body
    }

    /// `nil` leaves it out.
    mutating func add(_ name: String, _ value: String?) {
        if let value { headers.append(Header(name: name, value: value)) }
    }

    /// The value of the header of this name; `nil` if there is none.
    subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// What a push service has answered: the little of it that is looked at.
struct PushReply: Hashable, Sendable {
    /// Of a body no more is read.
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

/// An answer of a service read: what it means for the notification, and for the service.
struct ServiceAnswer: Hashable, Sendable {
    let answer: PushAnswer
    let health: ServiceHealth

    init(_ answer: PushAnswer, _ health: ServiceHealth) {
        self.answer = answer
        self.health = health
    }

    init(_ failure: SendFailure) {
        self.init(.later(failure.problem, after: nil), .fails)
    }
}
