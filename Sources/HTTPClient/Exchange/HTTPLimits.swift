/// The bounds on connections and answers.
package struct HTTPLimits: Hashable, Sendable {
    /// Up to the end of the TLS handshake, with the wait for a connection or stream.
    package var connect: Duration
    /// To one origin at once.
    package var connections: Int
    /// The concurrent HTTP/2 streams of a connection, and so its requests.
    package var streams: Int
    /// The origins with connections: above that, the longest unused without a request are closed.
    package var origins: Int
    /// The time for which an unused connection stays open.
    package var idle: Duration = .seconds(30)
    /// The longest part of an answer's body that is read, in bytes.
    package var body: Int
    /// The longest head of an answer, in bytes.
    package var head = 32_768

    package init(connect: Duration, connections: Int, streams: Int, origins: Int, body: Int) {
        self.connect = connect
        self.connections = connections
        self.streams = streams
        self.origins = origins
        self.body = body
    }
}
