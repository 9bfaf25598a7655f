/// How a client reaches its web door over HTTP: `CurlTransport` of `ParleyCurl`, or an app's own.
public protocol DoorTransport: Sendable {
    /// Makes what one client sends its requests with.
    func open() -> any DoorConnection
}

/// Sends the requests of one client. A response is taken as it comes: no redirect is followed, nothing is decompressed,
/// no request is repeated.
public protocol DoorConnection: Sendable {
    /// Does its work until the task is cancelled.
    func run() async

    /// Sends a request and returns the response. A cancelled task gives the request up.
    ///
    /// - Throws: ``FileTransferError/unreachable(_:)`` without a response.
    func send(_ request: DoorRequest, timeout: Duration) async throws(FileTransferError) -> DoorResponse
}

public struct DoorRequest: Sendable {
    public enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case patch = "PATCH"
    }

    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: String

        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    public let method: Method
    public let url: String
    public let fields: [Field]
    /// At most 4 MiB.
    public let body: [UInt8]

    /// The most bytes that are read of a response's body: one more than any request asks for.
    public static let longestResponse = PieceSize.largest + 1
}

public struct DoorResponse: Sendable {
    public let status: Int
    /// By lower-case name, the first of each.
    public let fields: [String: String]
    /// At most ``DoorRequest/longestResponse`` bytes. It may have broken off.
    public let body: [UInt8]

    public init(status: Int, fields: [String: String], body: [UInt8]) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }
}

/// The web door of the user's gateway, which keeps the files of messages.
public struct WebDoorAccess: Sendable {
    public var address: WebDoorAddress
    public var transport: any DoorTransport
    /// The bytes of received and sent files that the device keeps. They are kept sealed; those that were not used for
    /// longest go first.
    public var cacheBytes = 256 << 20

    public init(_ address: WebDoorAddress, over transport: any DoorTransport) {
        (self.address, self.transport) = (address, transport)
    }
}

/// The base URL of a web door: `https`, or `http` on this machine. The device's token goes there and nowhere else.
public struct WebDoorAddress: Hashable, Sendable, CustomStringConvertible {
    /// Without a slash at its end.
    public let text: String

    private static let loopback = ["127.0.0.1", "localhost", "[::1]"]

    /// - Returns: `nil` for another scheme, a query or fragment, a user's name, or `http` elsewhere.
    public init?(_ text: String) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.contains(where: { "?#@\\\"<>^`{|}".contains($0) })
        else { return nil }
        let secure = text.hasPrefix("https://")
        guard secure || text.hasPrefix("http://") else { return nil }
        let authority = text.dropFirst(secure ? 8 : 7).prefix { $0 != "/" }
        let bracket = authority.lastIndex(of: "]")
        let colon = authority.lastIndex(of: ":").flatMap { colon in bracket.map { $0 < colon } ?? true ? colon : nil }
        let host = authority[..<(colon ?? authority.endIndex)]
        guard !host.isEmpty, secure || WebDoorAddress.loopback.contains(host.lowercased()) else { return nil }
        if let colon {
            guard let port = Int(authority[colon...].dropFirst()), (1...65_535).contains(port) else { return nil }
        }
        var text = text
        while text.hasSuffix("/") { text.removeLast() }
        self.text = text
    }

    public var description: String { text }
}
