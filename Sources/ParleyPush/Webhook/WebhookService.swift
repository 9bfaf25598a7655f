import ParleyProtocol

/// Sends to webhooks.
struct WebhookService: PushProviding {
    static let provider = PushProvider.webhook
    static let replacesEarlier = false

    private let endpoints: EndpointService

    init?(_ configuration: PushConfiguration, _ connections: PushConnections) { endpoints = connections.endpoints }

    func send(_ delivery: PushDelivery) async -> ServiceAnswer {
        guard case .webhook(let endpoint, let secret) = delivery.target else { return .notConfigured }
        let request = Webhook.request(delivery, to: endpoint, secret: secret)
        return await endpoints.post(request, of: delivery, to: endpoint) { Self.read($0, now: delivery.now) }
    }

    static func read(_ reply: PushReply, now: Timestamp) -> ServiceAnswer {
        ServiceAnswer(reply, accepted: 200...299, gone: [410], now: now)
    }
}
