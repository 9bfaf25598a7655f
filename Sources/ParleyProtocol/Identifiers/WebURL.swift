/// An absolute URL of `https`, or of `http` for development: of a webhook, a Web Push subscription, an identity
/// provider or a web door.
///
/// Printable ASCII of at most ``Limits/urlBytes`` bytes, with a host, without user information or a fragment (RFC 3986
/// §3). Whether the gateway may connect to the host is decided elsewhere.
public struct WebURL: Hashable, Sendable {
    public enum Scheme: String, Hashable, Sendable {
        case http, https
    }

    /// As given.
    public let text: String
    public let scheme: Scheme
    /// In lower case; an IPv6 address without its brackets.
    public let host: String
    /// The scheme's default if the URL names none.
    public let port: Int

    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Limits.urlBytes, bytes.allSatisfy(WebURL.isAllowed) else { return nil }
        let scheme: Scheme
        if bytes.starts(with: "https://".utf8) {
            scheme = .https
        } else if bytes.starts(with: "http://".utf8) {
            scheme = .http
        } else {
            return nil
        }
        let rest = bytes.dropFirst(scheme.rawValue.utf8.count + 3)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard let (host, port) = WebURL.split(authority) else { return nil }
        self.text = text
        self.scheme = scheme
        self.host = host
        self.port = port ?? (scheme == .https ? 443 : 80)
        let path = String(decoding: rest[authority.endIndex...], as: UTF8.self)
        self.path = path.hasPrefix("/") ? path : "/" + path
    }

    /// The path and query, which begin with "/".
    private let path: String

    /// The URL written anew from its parsed parts, so that its host cannot be read in another way. Every spelling of
    /// the origin becomes the same (RFC 3986 §6.2.2.1, §6.2.3).
    public var url: String { origin + path }

    /// The scheme, host and port in the form of RFC 6454 §6.2: the audience of VAPID.
    public var origin: String {
        let isUsual = port == (scheme == .https ? 443 : 80)
        let host = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(scheme.rawValue)://\(host)" + (isUsual ? "" : ":\(port)")
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"#<>\\^`{|}".utf8.contains(byte)
    }

    private static func split(_ authority: ArraySlice<UInt8>) -> (host: String, port: Int?)? {
        var (host, rest): (ArraySlice<UInt8>, ArraySlice<UInt8>)
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
            guard !host.isEmpty, host.allSatisfy({ $0.hexadecimal != nil || ".:".utf8.contains($0) }) else {
                return nil
            }
        } else {
            host = authority.prefix { $0 != UInt8(ascii: ":") }
            rest = authority.dropFirst(host.count)
            guard (1...253).contains(host.count),
                host.allSatisfy({ $0.isASCIILetterOrDigit || ".-_".utf8.contains($0) })
            else { return nil }
        }
        let name = String(decoding: host, as: UTF8.self).lowercased()
        guard !rest.isEmpty else { return (name, nil) }
        guard rest.removeFirst() == UInt8(ascii: ":"), (1...5).contains(rest.count),
            rest.allSatisfy(\.isASCIIDigit),
            let port = Int(String(decoding: rest, as: UTF8.self)), (1...65_535).contains(port)
        else { return nil }
        return (name, port)
    }
}
