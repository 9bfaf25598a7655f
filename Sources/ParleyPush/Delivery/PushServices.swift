import HTTPClient
import ParleyProtocol

/// The services that are configured, and their connections.
struct PushServices: Sendable {
    private let apns: APNsService?
    private let fcm: FCMService?
    private let endpoints: EndpointService
    private let vapid: VAPIDTokens
    private let client: HTTPClient

    init(
        _ configuration: PushConfiguration, lookup: @escaping HostLookups.Lookup
    ) throws(PushConfigurationError) {
        let exchange = try HTTPExchange(configuration)
        client = exchange.client
        apns = configuration.apns.map {
            APNsService($0, client: ServiceClient(exchange: exchange, place: .service("apns")))
        }
        fcm = configuration.fcm.map {
            FCMService($0, client: ServiceClient(exchange: exchange, place: .service("fcm")))
        }
        endpoints = EndpointService(
            addresses: EndpointAddresses(
                policy: EndpointPolicy(allowsPrivate: configuration.allowsPrivateEndpoints),
                limit: configuration.timeouts.lookup, names: configuration.limits.origins, lookup: lookup),
            exchange: exchange)
        vapid = VAPIDTokens(key: configuration.vapid, origins: configuration.limits.origins)
    }

    /// Owns the connections, until `stop`.
    func run() async throws { try await client.run() }

    /// Closes all connections, and looks up no name any more.
    func stop() {
        endpoints.addresses.stop()
        client.stop()
    }

    /// One attempt.
    func send(_ delivery: PushDelivery) async -> ServiceAnswer {
        switch delivery.target {
        case .apns(let token, let topic):
            await apns?.send(delivery, to: token, topic: topic) ?? notConfigured
        case .fcm(let token): await fcm?.send(delivery, to: token) ?? notConfigured
        case .webhook(let endpoint, let secret):
            await send(delivery, to: endpoint, secret: secret)
        case .webPush(let endpoint, let p256dh, let auth):
            await send(delivery, to: endpoint, p256dh: p256dh, auth: auth)
        }
    }

    private func send(_ delivery: PushDelivery, to endpoint: PushEndpoint, secret: String) async -> ServiceAnswer {
        let request = Webhook.request(delivery, to: endpoint, secret: secret)
        switch await endpoints.post(request, to: endpoint, of: delivery.notification.user) {
        case .success(let reply): return Webhook.read(reply, now: delivery.now)
        case .failure(let failure): return failure.answer
        }
    }

    private func send(
        _ delivery: PushDelivery, to endpoint: PushEndpoint, p256dh: [UInt8], auth: [UInt8]
    ) async -> ServiceAnswer {
        let request: PushRequest
        do {
            request = try WebPush.request(
                delivery, to: endpoint, p256dh: p256dh, auth: auth,
                authorization: try vapid.authorization(for: endpoint.origin, now: delivery.now), .random())
        } catch {
            return ServiceAnswer(.refused(PushProblem(status: nil, "not a key of P-256")), .unknown)
        }
        switch await endpoints.post(request, to: endpoint, of: delivery.notification.user) {
        case .success(let reply): return WebPush.read(reply, now: delivery.now)
        case .failure(let failure): return failure.answer
        }
    }

    private var notConfigured: ServiceAnswer {
        ServiceAnswer(.refused(PushProblem(status: nil, "the service is not configured")), .unknown)
    }
}
