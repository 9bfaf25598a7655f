import HTTPClient
import ParleyProtocol

/// Which endpoints the gateway connects to: a device may name anything, the machine's own services included.
struct EndpointPolicy: Hashable, Sendable {
    /// Permits `http` and private addresses, for development.
    let allowsPrivate: Bool

    /// The ports of `https`: 443, and 8443 for servers without root's rights. Other ports have services of other kinds,
    /// which no request of the gateway may reach.
    static let ports: Set<Int> = [443, 8443]

    /// The fault of an endpoint that its URL shows; `nil` for none.
    func fault(of endpoint: WebURL) -> EndpointFault? {
        guard !allowsPrivate else { return nil }
        guard endpoint.scheme == .https else { return .notHTTPS }
        guard EndpointPolicy.ports.contains(endpoint.port) else { return .otherPort }
        if let literal = HostLookup.literal(endpoint.host) { return literal.isPublic ? nil : .privateAddress }
        return EndpointPolicy.isPublicName(endpoint.host) ? nil : .privateName
    }

    /// The addresses of a host, if the gateway may connect to all of them.
    func permitted(_ addresses: [IPAddress]) throws(EndpointFault) -> [IPAddress] {
        guard !addresses.isEmpty else { throw .notFound }
        guard allowsPrivate || addresses.allSatisfy(\.isPublic) else { throw .privateAddress }
        return addresses
    }

    /// Names of private networks and of the machine itself (RFC 6761, RFC 6762, RFC 8375).
    private static let privateSuffixes = [
        "localhost", "local", "internal", "localdomain", "intranet", "lan", "home", "corp", "private", "arpa", "test",
        "invalid", "onion",
    ]

    private static func isPublicName(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }), let last = labels.last else { return false }
        // What ends in digits is an address in some spelling (RFC 3696 §2).
        guard last.utf8.contains(where: { !$0.isASCIIDigit }) else { return false }
        return !privateSuffixes.contains(String(last))
    }
}

/// Why the gateway does not connect to an endpoint.
enum EndpointFault: Error, Hashable, Sendable {
    case notHTTPS
    case otherPort
    /// A name that has no meaning on the internet.
    case privateName
    /// An address that is not on the internet, or a name that resolves to one.
    case privateAddress
    /// The name has no address.
    case notFound
    /// The name was not resolved in time, which says nothing about the service.
    case notLookedUp

    var reason: String {
        switch self {
        case .notHTTPS: "not an https URL"
        case .otherPort:
            "a port other than \(EndpointPolicy.ports.sorted().map(String.init).joined(separator: " and "))"
        case .privateName: "a name of a private network"
        case .privateAddress: "an address of a private network"
        case .notFound: "the host has no address"
        case .notLookedUp: "the host's address was not found out in time"
        }
    }
}

extension PushTarget {
    /// Checks what parsing does not: whether the gateway connects to the endpoint, and whether the provider can send to
    /// it.
    ///
    /// - Throws: a `bad_request` that names the field.
    package func check(allowsPrivate: Bool) throws(Rejection) {
        if let endpoint, let fault = EndpointPolicy(allowsPrivate: allowsPrivate).fault(of: endpoint) {
            throw Rejection(.badRequest, "endpoint: \(fault.reason)")
        }
        try PushProviders.kind(of: provider)?.check(self)
    }
}
