import HTTPClient
import ParleyProtocol

/// The services that are configured, and their connections.
struct PushServices: Sendable {
    private let services: [PushProvider: any PushProviding]
    private let connections: PushConnections

    init(
        _ configuration: PushConfiguration, lookup: @escaping HostLookups.Lookup
    ) throws(PushConfigurationError) {
        let exchange = try HTTPExchange(configuration)
        let connections = PushConnections(
            exchange: exchange,
            endpoints: EndpointService(
                addresses: EndpointAddresses(
                    policy: EndpointPolicy(allowsPrivate: configuration.allowsPrivateEndpoints),
                    limit: configuration.timeouts.lookup, names: configuration.limits.origins, lookup: lookup),
                exchange: exchange))
        self.connections = connections
        var services: [PushProvider: any PushProviding] = [:]
        for kind in PushProviders.all { services[kind.provider] = try kind.init(configuration, connections) }
        self.services = services
    }

    /// Owns the connections until `stop`.
    func run() async throws { try await connections.exchange.client.run() }

    /// Closes all connections, and looks up no name any more.
    func stop() {
        connections.endpoints.addresses.stop()
        connections.exchange.client.stop()
    }

    func send(_ delivery: PushDelivery) async -> ServiceAnswer {
        await services[delivery.target.provider]?.send(delivery) ?? .notConfigured
    }
}
