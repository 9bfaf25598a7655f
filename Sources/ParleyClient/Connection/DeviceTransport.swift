import ParleyProtocol

/// What carries a device's packets to its gateway's broker and back: the part of a client that speaks MQTT 5.
///
/// ``DeviceConnection`` decides what is subscribed, sent, repeated and when to connect again; a transport makes one
/// connection after another and carries what it is given. The product `ParleyMosquitto` has one of libmosquitto; an app
/// may bring its own.
public protocol DeviceTransport: Sendable {
    /// Connects and signs in, with a clean start and a session that ends with the connection (MQTT 5 §3.1.2.4,
    /// §3.1.2.11.2).
    ///
    /// Runs on a thread that the device's connection has for itself, and blocks it until the broker's verdict, at most
    /// ``SignIn/timeout``.
    ///
    /// - Parameter signal: to be sent when something has come for ``TransportConnection/exchange(until:)`` to give out,
    ///   should that be known on another thread. Others send it, too.
    func connect(_ signIn: SignIn, signal: LoopSignal) throws(ConnectionError) -> any TransportConnection

    /// Looks into a gateway that did not let this transport connect, once a device: whether it speaks TLS where plain
    /// MQTT was tried, or the other way around. Says nothing of the device there.
    ///
    /// - Parameter cause: ``ConnectionError/notReady`` or ``ConnectionError/notTrusted``.
    /// - Returns: a better word for it; `nil` if there is none.
    func diagnose(_ cause: ConnectionError, at gateway: GatewayAddress, timeout: Duration) -> ConnectionError?
}

extension DeviceTransport {
    public func diagnose(
        _ cause: ConnectionError, at gateway: GatewayAddress, timeout: Duration
    ) -> ConnectionError? { nil }
}

/// One attempt to sign in.
public struct SignIn: Sendable {
    public let gateway: GatewayAddress
    /// `uid:did` or `uid:did:x` (protocol §1).
    public let clientID: String
    /// Secret: for the CONNECT packet and for nothing else.
    public let credentials: DeviceCredentials
    /// Until the broker's verdict.
    public let timeout: Duration
}

/// One connection that is signed in, until it is lost or closed. It is never connected again.
///
/// Every call comes from the one thread that made it, and none but ``exchange(until:)`` waits. What the broker sends at
/// QoS 1 the transport acknowledges by itself: whatever is lost behind that, the client fetches. It keeps the
/// connection alive by itself, too, and bounds what it takes from the broker and has not returned.
public protocol TransportConnection: AnyObject {
    /// Whether one more publish may be on its way without an acknowledgement (MQTT 5 §4.9).
    var canPublish: Bool { get }

    /// Queues a subscription at QoS 1, whose answer ``exchange(until:)`` returns.
    func subscribe(to filter: String) throws(TransportError) -> PacketNumber

    /// Queues the end of a subscription.
    func unsubscribe(from filter: String) throws(TransportError)

    /// Queues a publish at QoS 1, not retained, whose answer ``exchange(until:)`` returns.
    func publish(_ message: OutgoingMessage) throws(TransportError) -> PacketNumber

    /// Sends what is queued, waits until something comes, the signal is sent or `deadline`, and returns what came.
    ///
    /// It may return early and with nothing. Messages are returned in the order in which they came. A signal that was
    /// sent since the last call ends the wait at once.
    ///
    /// - Parameter deadline: `nil` for none.
    /// - Throws: ``TransportError/lost(_:)``, once all that came before was returned.
    func exchange(until deadline: ContinuousClock.Instant?) throws(TransportError) -> [TransportEvent]

    /// Sends what is queued as far as the network takes it at once, says DISCONNECT and closes.
    func close()
}
