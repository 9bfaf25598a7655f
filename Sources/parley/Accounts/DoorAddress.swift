import ArgumentParser
import ParleyIdentity
import ParleyProtocol

/// The base URL of a web door: `https`, or `http` on this machine.
struct DoorAddress: Hashable, ExpressibleByArgument {
    /// Without a slash at its end.
    let text: String
    /// Those with the same one share connections.
    let origin: String
    let host: String
    let port: UInt16
    /// Whether it is reached without TLS.
    let isPlain: Bool

    init?(argument: String) {
        guard let url = WebURL(argument), !argument.contains("?"), let port = UInt16(exactly: url.port) else {
            return nil
        }
        switch url.scheme {
        case .https: isPlain = false
        case .http:
            guard Loopback.has(url.host) else { return nil }
            isPlain = true
        }
        (host, self.port, origin) = (url.host, port, url.origin)
        var text = url.url
        while text.hasSuffix("/") { text.removeLast() }
        self.text = text
    }
}

/// Where a broker takes MQTT: `HOST:PORT`, which may begin with `mqtts://`, or with `mqtt://` on this machine.
struct BrokerAddress: Hashable, ExpressibleByArgument {
    let host: String
    let port: UInt16
    /// `nil` if the way is not named.
    private let isPlain: Bool?

    init?(argument: String) {
        let schemes = [("mqtts://", false), ("mqtt://", true)]
        let named = schemes.first { argument.hasPrefix($0.0) }
        let authority = argument.dropFirst(named?.0.utf8.count ?? 0)
        guard !authority.contains(where: { "/?".contains($0) }), let url = WebURL("https://" + authority),
            // The port, which a URL may leave out.
            (authority.lastIndex(of: "]").map { authority[$0...] } ?? authority).contains(":"),
            let port = UInt16(exactly: url.port), named?.1 != true || Loopback.has(url.host)
        else { return nil }
        (host, self.port, isPlain) = (url.host, port, named?.1)
    }

    /// Whether it is reached without TLS, which is for this machine alone.
    func isPlain(besides door: DoorAddress) -> Bool { isPlain ?? (door.isPlain && Loopback.has(host)) }
}
