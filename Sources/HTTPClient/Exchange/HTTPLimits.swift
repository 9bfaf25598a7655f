/// What bounds connections and answers.
package struct HTTPLimits: Hashable, Sendable {
    /// To the end of the TLS handshake, the wait for a connection or stream included.
    package var connect: Duration
    /// To a host of one place at once.
    package var connections: Int
    /// With as many requests as there are streams of HTTP/2 on a connection at once.
    package var streams: Int
    /// Of how many places connections are kept: of those without a request the longest unused are closed.
    package var places: Int
    /// For how long connections are kept that nobody uses.
    package var idle: Duration = .seconds(30)
    /// Of an answer's body no more is read, in bytes.
    package var body: Int
    /// An answer with a longer head is none, in bytes.
    package var head = 32_768

    package init(connect: Duration, connections: Int, streams: Int, places: Int, body: Int) {
        self.connect = connect
        self.connections = connections
        self.streams = streams
        self.places = places
        self.body = body
    }
}
