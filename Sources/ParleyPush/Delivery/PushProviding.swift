import HTTPClient
import ParleyProtocol

/// A kind of push service: a folder, and a line in ``PushProviders``.
protocol PushProviding: Sendable {
    static var provider: PushProvider { get }

    /// Whether a later notification with the same collapse id replaces an earlier one on the device.
    static var replacesEarlier: Bool { get }

    /// Its settings; ``PushConfiguration`` has their values.
    static var settings: [ProviderSetting] { get }

    /// Refuses a target that this provider cannot send to.
    static func check(_ target: PushTarget) throws(Rejection)

    /// `nil` where it is not configured.
    init?(_ configuration: PushConfiguration, _ connections: PushConnections) throws(PushConfigurationError)

    /// What an answer of the service means.
    static func read(_ reply: PushReply, now: Timestamp) -> ServiceAnswer

    /// One attempt.
    ///
    /// - Parameter delivery: to a target of this provider.
    func send(_ delivery: PushDelivery) async -> ServiceAnswer
}

extension PushProviding {
    static var settings: [ProviderSetting] { [] }
    static func check(_ target: PushTarget) throws(Rejection) {}
}

/// Every kind of push service.
enum PushProviders {
    static let all: [any PushProviding.Type] = [
        APNsService.self,
        FCMService.self,
        WebPushService.self,
        WebhookService.self,
    ]

    static func kind(of provider: PushProvider) -> (any PushProviding.Type)? { all.first { $0.provider == provider } }
}

/// What the push services share.
struct PushConnections: Sendable {
    let exchange: HTTPExchange
    /// For endpoints, which devices name.
    let endpoints: EndpointService

    /// For a provider that is one service.
    func client(of provider: PushProvider) -> ServiceClient {
        ServiceClient(exchange: exchange, origin: .service(provider.rawValue))
    }
}

extension PushProvider {
    package var replacesEarlier: Bool { PushProviders.kind(of: self)?.replacesEarlier ?? false }
}

extension ServiceAnswer {
    static let notConfigured = ServiceAnswer(
        .refused(PushProblem(status: nil, "the service is not configured")), .unknown)
}
