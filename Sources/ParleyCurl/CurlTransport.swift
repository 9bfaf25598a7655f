import HTTPClient
import ParleyClient

/// Reaches a web door by libcurl.
public struct CurlTransport: DoorTransport {
    private let trust: Certificates?

    /// Trusts the system's certificates.
    public init() { trust = nil }

    /// - Parameter pem: certificates that are trusted beside the system's.
    /// - Returns: `nil` if there are none in it.
    public init?(trusting pem: [UInt8]) {
        guard let trust = Certificates(pem: [pem]) else { return nil }
        self.trust = trust
    }

    public func open() -> any DoorConnection { CurlConnection(trust: trust) }
}

private struct CurlConnection: DoorConnection {
    private let client: HTTPClient

    private static let limits = HTTPLimits(
        connect: .seconds(10), connections: 4, streams: 8, origins: 2, body: DoorRequest.longestResponse)

    init(trust: Certificates?) { client = HTTPClient(limits: CurlConnection.limits, trust: trust) }

    func run() async {
        await withTaskCancellationHandler {
            // Without a thread every request fails, and says so.
            try? await client.run()
        } onCancel: {
            client.stop()
        }
    }

    func send(_ request: DoorRequest, timeout: Duration) async throws(FileTransferError) -> DoorResponse {
        let fields = request.fields.map { HTTPRequest.Header(name: $0.name, value: $0.value) }
        let sent: HTTPRequest =
            switch request.method {
            case .get: .get(url: request.url, headers: fields)
            case .head: .head(url: request.url, headers: fields)
            case .post: .post(url: request.url, headers: fields, body: request.body)
            case .patch: .patch(url: request.url, headers: fields, body: request.body)
            }
        switch await client.send(sent, to: .service(CurlConnection.origin(of: request.url)), until: .now + timeout) {
        case .success(let reply):
            let fields = Dictionary(reply.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
            return DoorResponse(status: reply.status, fields: fields, body: reply.body)
        case .failure(.notSent(let reason)), .failure(.answerLost(let reason)): throw .unreachable(reason)
        }
    }

    /// Scheme and authority: requests to them share connections.
    private static func origin(of url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/")
    }
}
