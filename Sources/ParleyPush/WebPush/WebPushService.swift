import ParleyProtocol

/// Sends to Web Push services, and to distributors of UnifiedPush.
struct WebPushService: PushProviding {
    static let provider = PushProvider.webpush
    static let replacesEarlier = true

    private let endpoints: EndpointService
    private let tokens: VAPIDTokens

    init?(_ configuration: PushConfiguration, _ connections: PushConnections) {
        endpoints = connections.endpoints
        tokens = VAPIDTokens(key: configuration.vapid, origins: configuration.limits.origins)
    }

    /// Whether the key is a point of the curve (RFC 8291 §3.1).
    static func check(_ target: PushTarget) throws(Rejection) {
        guard case .webPush(_, let p256dh, _) = target, !WebPushCipher.isPublicKey(p256dh) else { return }
        throw Rejection(.badRequest, "p256dh: not a point of P-256")
    }

    func send(_ delivery: PushDelivery) async -> ServiceAnswer {
        guard case .webPush(let endpoint, let p256dh, let auth) = delivery.target else { return .notConfigured }
        let request: PushRequest
        do {
            request = try WebPush.request(
                delivery, to: endpoint, p256dh: p256dh, auth: auth,
                authorization: try tokens.authorization(for: endpoint.origin, now: delivery.now), .random())
        } catch {
            return ServiceAnswer(.refused(PushProblem(status: nil, "not a key of P-256")), .unknown)
        }
        switch await endpoints.post(request, to: endpoint, of: delivery.notification.user) {
        case .success(let reply): return WebPush.read(reply, now: delivery.now)
        case .failure(let failure): return failure.answer
        }
    }
}
