import HTTPClient
import ParleyProtocol

/// Sends to endpoints that devices have named: to the addresses that were judged and no others.
struct EndpointService: Sendable {
    let addresses: EndpointAddresses
    let exchange: HTTPExchange

    /// How many addresses of a host are tried.
    private static let tried = 2

    /// - Parameter user: whose device has named the endpoint.
    func post(
        _ request: PushRequest, to endpoint: PushEndpoint, of user: UserID
    ) async -> Result<PushReply, EndpointFailure> {
        let found: [IPAddress]
        do {
            found = try await addresses.addresses(of: endpoint, for: user)
        } catch {
            return .failure(.endpoint(error))
        }
        var failure = SendFailure.notSent("no address")
        for address in EndpointService.worthTrying(found) {
            switch await exchange.post(request, to: .host(endpoint.host, at: address)) {
            case .success(let reply): return .success(reply)
            // Another address may do where there was no connection.
            case .failure(.notSent(let reason)): failure = .notSent(reason)
            case .failure(let other): return .failure(.exchange(other))
            }
        }
        addresses.expire(endpoint)
        return .failure(.exchange(failure))
    }

    /// The first, and the first of the other version of IP, or else the second.
    static func worthTrying(_ addresses: [IPAddress]) -> [IPAddress] {
        guard let first = addresses.first else { return [] }
        let rest = addresses.dropFirst()
        let second = rest.first { $0.isIPv4 != first.isIPv4 } ?? rest.first
        return [first] + [second].compactMap(\.self)
    }
}

enum EndpointFailure: Error, Hashable, Sendable {
    case endpoint(EndpointFault)
    case exchange(SendFailure)

    var answer: ServiceAnswer {
        switch self {
        case .exchange(let failure): ServiceAnswer(failure)
        case .endpoint(.notFound):
            ServiceAnswer(.later(PushProblem(status: nil, EndpointFault.notFound.reason), after: nil), .fails)
        case .endpoint(.notLookedUp):
            ServiceAnswer(.later(PushProblem(status: nil, EndpointFault.notLookedUp.reason), after: nil), .unknown)
        case .endpoint(let fault): ServiceAnswer(.refused(PushProblem(status: nil, fault.reason)), .unknown)
        }
    }
}
