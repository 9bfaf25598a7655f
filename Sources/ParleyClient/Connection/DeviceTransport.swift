import ParleyProtocol

/// The MQTT 5 client of a device.
///
/// ``DeviceConnection`` decides what to subscribe to, send and repeat, and when to reconnect; a transport makes single
/// connections. The product `ParleyMosquitto` has one over libmosquitto; an app may bring its own.
public protocol DeviceTransport: Sendable {
    /// Connects and signs in, with a clean start and a session that ends with the connection (MQTT 5 §3.1.2.4,
    /// §3.1.2.11.2).
    ///
    /// Runs on the connection's own thread, and blocks it until the CONNACK, for at most ``SignIn/timeout``.
    ///
    /// - Parameter signal: to be sent by a transport that receives on another thread, when
    ///   ``TransportConnection/exchange(until:)`` has something to return. Others send it, too.
    func connect(_ signIn: SignIn, signal: LoopSignal) throws(ConnectionError) -> any TransportConnection

    /// Finds out, once a device, whether a failed gateway speaks TLS where plain MQTT was tried, or the other way
    /// around. Sends nothing about the device. Runs on the connection's own thread, and blocks it.
    ///
    /// - Parameter cause: ``ConnectionError/notReady`` or ``ConnectionError/notTrusted``.
    /// - Returns: a more precise error, if any.
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
    /// Secret: for the CONNECT packet only.
    public let credentials: DeviceCredentials
    /// Until the CONNACK.
    public let timeout: Duration
}

/// One connection after sign-in, until it is lost or closed. It never reconnects.
///
/// All calls come from the thread that made it, and only ``exchange(until:)`` waits. The transport acknowledges QoS 1
/// messages by itself (the client fetches what is lost after that), sends keep-alives, and bounds the messages that it
/// has received and not returned.
public protocol TransportConnection: AnyObject {
    /// Whether another unacknowledged publish is allowed (MQTT 5 §4.9).
    var canPublish: Bool { get }

    /// Queues a subscription at QoS 1; ``exchange(until:)`` returns its answer.
    func subscribe(to filter: String) throws(TransportError) -> PacketNumber

    func unsubscribe(from filter: String) throws(TransportError)

    /// Queues a publish at QoS 1, not retained; ``exchange(until:)`` returns its answer.
    func publish(_ message: OutgoingMessage) throws(TransportError) -> PacketNumber

    /// Sends the queued packets, waits for input, the signal or `deadline`, and returns the events.
    ///
    /// It may return early and with nothing. Messages keep their order. A signal that was sent since the last call ends
    /// the wait at once.
    ///
    /// - Parameter deadline: `nil` for none.
    /// - Throws: ``TransportError/lost(_:)``, after all earlier events were returned.
    func exchange(until deadline: ContinuousClock.Instant?) throws(TransportError) -> [TransportEvent]

    /// Sends the queued packets as far as the network accepts them at once, then DISCONNECT, and closes.
    func close()
}
