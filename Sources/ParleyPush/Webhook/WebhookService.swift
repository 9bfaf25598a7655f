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
        switch await endpoints.post(request, to: endpoint, of: delivery.notification.user) {
        case .success(let reply): return Webhook.read(reply, now: delivery.now)
        case .failure(let failure): return failure.answer
        }
    }
}
