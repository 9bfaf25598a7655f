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
            let answer = await send(delivery, to: device, topic: topic, with: token)
            guard answer.needsToken, let next = try tokens.replacement(for: token, now: delivery.now) else {
                return answer
            }
            return await send(delivery, to: device, topic: topic, with: next)
        } catch {
            return ServiceAnswer(.later(PushProblem(status: nil, "no token could be signed"), after: nil), .fails)
        }
    }

    private func send(
        _ delivery: PushDelivery, to device: String, topic: String, with token: APNsTokens.Token
    ) async -> ServiceAnswer {
        let request = APNs.request(
            delivery, token: device, topic: topic, url: credentials.url, authorization: "bearer \(token.text)")
        switch await client.post(request) {
        case .failure(let failure): return ServiceAnswer(failure)
        case .success(let reply) where !reply.isHTTP2:
            return ServiceAnswer(
                .later(PushProblem(status: reply.status, "the server speaks no HTTP/2"), after: nil), .fails)
        case .success(let reply): return Self.read(reply, now: delivery.now)
        }
    }
}
