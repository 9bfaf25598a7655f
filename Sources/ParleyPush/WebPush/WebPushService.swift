import ParleyProtocol

/// Sends to Web Push services, and to distributors of UnifiedPush.
struct WebPushService: PushProviding {
    static let provider = PushProvider.webpush
    static let replacesEarlier = true
    static let settings = [
        ProviderSetting(
            "vapid_subject", .text,
            "Whom Web Push services may write to, `mailto:…` or `https://…`; without it, nobody.")
    ]

    private let endpoints: EndpointService
    private let tokens: VAPIDTokens

    init?(_ configuration: PushConfiguration, _ connections: PushConnections) throws(PushConfigurationError) {
        endpoints = connections.endpoints
        let subject = configuration.text(of: "vapid_subject")
        tokens = VAPIDTokens(
            key: configuration.vapid,
            subject: subject.isEmpty ? "mailto:nobody@parley.invalid" : try Self.check(subject: subject),
            origins: configuration.limits.origins)
    }

    private static func check(subject: String) throws(PushConfigurationError) -> String {
        guard subject.utf8.count <= 512, subject.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            subject.hasPrefix("mailto:") && subject.utf8.count > 7 || WebURL(subject)?.scheme == .https
        else { throw PushConfigurationError("vapid_subject", "neither a mailto: nor an https: URL") }
        return subject
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
        return await endpoints.post(request, of: delivery, to: endpoint) { Self.read($0, now: delivery.now) }
    }

    static func read(_ reply: PushReply, now: Timestamp) -> ServiceAnswer {
        ServiceAnswer(reply, accepted: [200, 201, 202, 204], gone: [404, 410], now: now)
    }
}
