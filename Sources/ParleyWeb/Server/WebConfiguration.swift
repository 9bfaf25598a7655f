import NIOCore

/// What a door is started with.
package struct WebConfiguration: Sendable {
    package var address = "127.0.0.1"
    /// 0 for any that is free.
    package var port: Int
    package var link: LinkConfiguration
    package var sockets = EventSocketConfiguration()
    /// `nil` for a door that takes no sign-ins.
    package var accounts: AccountConfiguration?
    package var limits = HTTPLimits()
    /// Origins, such as `https://app.example`, whose pages may use the door from a browser, beside its own. Pages of
    /// others get no answer that they could read.
    package var allowedOrigins: Set<String> = []
    /// Whether `?token=` signs in at `/ws`: a token in a URL ends in the logs of whatever is between.
    package var takesTokenInURL = false
    /// The secret of tickets, which several doors behind one balancer share; 32 bytes. `nil` for one of this door's.
    package var ticketKey: [UInt8]?

    package init(port: Int, link: LinkConfiguration) { (self.port, self.link) = (port, link) }
}

/// What one connection may cost before anybody has signed in.
package struct HTTPLimits: Sendable {
    /// More wait in the system's queue.
    package var connections = 10_000
    /// Of all headers of a request, in bytes.
    package var headerBytes = 16_384
    package var headers = 64
    /// Of a body, in bytes: a payload of 256 KiB, and what of it the gateway answers `too_large`.
    package var bodyBytes = 270_336
    /// From a connection to its first request.
    package var firstRequest: TimeAmount = .seconds(10)
    /// From the headers of a request to the end of its body.
    package var body: TimeAmount = .seconds(20)
    /// Between requests.
    package var idle: TimeAmount = .seconds(60)
    /// How long a response may wait for a reader who does not take it.
    package var response: TimeAmount = .seconds(30)

    package init() {}
}
