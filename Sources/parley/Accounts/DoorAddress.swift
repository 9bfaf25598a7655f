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
