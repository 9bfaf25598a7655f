import ParleyProtocol

/// Sends to Apple's push service.
struct APNsService: PushProviding {
    static let provider = PushProvider.apns
    static let replacesEarlier = true
    static let settings = APNsCredentials.settings

    private let credentials: APNsCredentials
    private let tokens: APNsTokens
    private let client: ServiceClient

    init?(_ configuration: PushConfiguration, _ connections: PushConnections) throws(PushConfigurationError) {
        guard let credentials = try APNsCredentials(configuration) else { return nil }
        self.credentials = credentials
        tokens = APNsTokens(credentials)
        client = connections.client(of: Self.provider)
    }

    func send(_ delivery: PushDelivery) async -> ServiceAnswer {
        guard case .apns(let device, let topic) = delivery.target else { return .notConfigured }
        do {
            let token = try tokens.token(now: delivery.now)
            switch await send(delivery, to: device, topic: topic, with: token) {
            case .done(let answer): return answer
            case .needsToken(let answer):
                guard let token = try tokens.replacement(for: token, now: delivery.now) else { return answer }
                switch await send(delivery, to: device, topic: topic, with: token) {
                case .done(let answer), .needsToken(let answer): return answer
                }
            }
        } catch {
            return ServiceAnswer(.later(PushProblem(status: nil, "no token could be signed"), after: nil), .fails)
        }
    }

    private func send(
        _ delivery: PushDelivery, to device: String, topic: String, with token: APNsTokens.Token
    ) async -> APNsAnswer {
        let request = APNs.request(
            delivery, token: device, topic: topic, url: credentials.url, authorization: "bearer \(token.text)")
        switch await client.post(request) {
        case .failure(let failure): return .done(ServiceAnswer(failure))
        case .success(let reply) where !reply.isHTTP2:
            return .done(
                ServiceAnswer(
                    .later(PushProblem(status: reply.status, "the server speaks no HTTP/2"), after: nil), .fails))
        case .success(let reply): return APNsAnswer(reply, now: delivery.now)
        }
    }
}
