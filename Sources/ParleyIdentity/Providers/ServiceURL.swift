import ParleyProtocol

/// The URL of a provider's document: `https`, or for development `http` on this machine.
struct ServiceURL: Hashable, Sendable {
    /// As given, since issuers are compared as texts.
    let text: String
    let origin: String
    let isLoopback: Bool

    /// - Parameter allowsLoopback: permits `http` on this machine.
    init?(_ text: String, allowsLoopback: Bool) {
        guard let url = WebURL(text) else { return nil }
        isLoopback = allowsLoopback && Loopback.has(url.host)
        switch url.scheme {
        case .https: break
        case .http: guard isLoopback else { return nil }
        }
        self.text = text
        origin = url.origin
    }
}

/// The names and addresses of this machine for itself.
package enum Loopback {
    package static func has(_ host: String) -> Bool { ["localhost", "127.0.0.1", "::1"].contains(host) }
}
