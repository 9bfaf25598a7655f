import NIOCore

/// The configuration of a web door.
package struct WebConfiguration: Sendable {
    package var address = "127.0.0.1"
    /// 0 for any free one.
    package var port: Int
    package var link: BrokerConfiguration
    package var sockets = EventSocketConfiguration()
    /// `nil` for a door without sign-ins.
    package var accounts: AccountConfiguration?
    /// `nil` for a door without blobs.
    package var blobs: BlobConfiguration?
    /// `nil` for a door without a page.
    package var page: PageFiles?
    package var limits = DoorLimits()
    /// Other origins than the door's own, such as `https://app.example`, whose pages may use the door from a browser.
    /// Pages of others cannot read its responses.
    package var allowedOrigins: Set<String> = []
    /// Whether `?token=` signs in at `/ws`: a token in a URL ends in the logs of proxies.
    package var takesTokenInURL = false
    /// The key of tickets, shared by several doors behind one balancer; 32 bytes. `nil` for a random one.
    package var ticketKey: [UInt8]?

    package init(port: Int, link: BrokerConfiguration) { (self.port, self.link) = (port, link) }
}

/// The limits of a connection before its client has signed in.
package struct DoorLimits: Sendable {
    /// The most connections; more wait in the system's queue.
    package var connections = 10_000
    /// All headers of a request, in bytes.
    package var headerBytes = 16_384
    package var headers = 64
    /// A body, in bytes: more than a payload of 256 KiB, so that the gateway answers longer ones with `too_large`.
    package var bodyBytes = 270_336
    /// From the connection to its first request.
    package var firstRequest: TimeAmount = .seconds(10)
    /// From the headers of a request to the end of its body.
    package var body: TimeAmount = .seconds(20)
    /// Between requests.
    package var idle: TimeAmount = .seconds(60)
    /// The longest time for a client to read a response.
    package var response: TimeAmount = .seconds(30)
    /// For 64 KiB of a blob that is sent, and for 256 KiB of one that is read.
    package var transfer: TimeAmount = .seconds(60)

    package init() {}
}
