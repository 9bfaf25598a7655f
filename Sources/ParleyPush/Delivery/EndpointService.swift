import HTTPClient
import ParleyProtocol

/// Sends to endpoints, at the addresses that the policy permits.
struct EndpointService: Sendable {
    let addresses: EndpointAddresses
    let exchange: HTTPExchange

    func post(
        _ request: PushRequest, of delivery: PushDelivery, to endpoint: WebURL,
        _ read: (PushReply) -> ServiceAnswer
    ) async -> ServiceAnswer {
        let found: [IPAddress]
        do {
            found = try await addresses.addresses(of: endpoint, for: delivery.notification.user)
        } catch {
            return ServiceAnswer(error)
        }
        var failure = SendFailure.notSent("no address")
        for address in EndpointService.worthTrying(found) {
            switch await exchange.post(request, to: .host(endpoint.host, at: address)) {
            case .success(let reply): return read(reply)
            // Another address may do where there was no connection.
            case .failure(.notSent(let reason)): failure = .notSent(reason)
            case .failure(let other): return ServiceAnswer(other)
            }
        }
        addresses.expire(endpoint)
        return ServiceAnswer(failure)
    }

    /// The first, and the first of the other version of IP, or else the second.
    static func worthTrying(_ addresses: [IPAddress]) -> [IPAddress] {
        guard let first = addresses.first else { return [] }
        let rest = addresses.dropFirst()
        let second = rest.first { $0.isIPv4 != first.isIPv4 } ?? rest.first
        return [first] + [second].compactMap(\.self)
    }
}

extension ServiceAnswer {
    init(_ fault: EndpointFault) {
        let problem = PushProblem(status: nil, fault.reason)
        switch fault {
        case .notFound: self.init(.later(problem, after: nil), .fails)
        case .notLookedUp: self.init(.later(problem, after: nil), .unknown)
        case .notHTTPS, .otherPort, .privateName, .privateAddress: self.init(.refused(problem), .unknown)
        }
    }
}
