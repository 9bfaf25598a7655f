import HTTPClient

/// Sends requests over HTTP.
struct HTTPExchange: Sendable {
    let client: HTTPClient
    /// From the request to the end of the answer.
    let limit: Duration

    init(_ configuration: PushConfiguration) throws(PushConfigurationError) {
        let limits = HTTPLimits(
            connect: configuration.timeouts.connect, connections: configuration.limits.perOrigin,
            streams: max(configuration.limits.perProvider, configuration.limits.perOrigin),
            origins: max(8, configuration.limits.origins / 8), body: PushReply.bodyLimit)
        guard let trust = Certificates(pem: configuration.trustRoots) else {
            throw PushConfigurationError("push_trust_file", "not certificates in PEM")
        }
        client = HTTPClient(limits: limits, trust: trust)
        limit = configuration.timeouts.request
    }

    func post(_ request: PushRequest, to origin: HTTPOrigin) async -> Result<PushReply, SendFailure> {
        let end = ContinuousClock.now + limit
        let request = HTTPRequest.post(url: request.url, headers: request.headers, body: request.body)
        return await client.send(request, to: origin, until: end).map { reply in
            PushReply(
                status: reply.status, isHTTP2: reply.isHTTP2, retryAfter: reply["retry-after"], body: reply.body)
        }
    }
}

/// The connections to a provider that is one service.
struct ServiceClient: Sendable {
    let exchange: HTTPExchange
    let origin: HTTPOrigin

    func post(_ request: PushRequest) async -> Result<PushReply, SendFailure> {
        await exchange.post(request, to: origin)
    }
}

extension SendFailure {
    var problem: PushProblem {
        switch self {
        case .notSent(let reason): PushProblem(status: nil, reason)
        case .answerLost(let reason): PushProblem(status: nil, reason, isUncertain: true)
        }
    }
}
