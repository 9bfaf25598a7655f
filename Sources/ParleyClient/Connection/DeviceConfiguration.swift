import ParleyProtocol

/// How a device connects to its gateway.
public struct DeviceConfiguration: Sendable {
    public var gateway: GatewayAddress
    public var device: DeviceAddress
    /// What carries its packets there.
    public var transport: any DeviceTransport
    /// Asked anew for each attempt to connect, so that a renewed token is used as soon as it is there; an app may ask
    /// its own server. What it throws is in the event ``ClientEvent/waiting(_:)``, and it is asked again later.
    public var credentials: @Sendable () async throws -> DeviceCredentials
    /// Where ``MessagingClient`` keeps the token that it renews; `nil` where the app sees to its credentials itself.
    public var renewal: TokenRenewal?
    /// What distinguishes this connection from others of the same device.
    public var name = ConnectionName.free
    /// Where all processes of the device keep its files, if that is known: there they see which names are free.
    public var directory: DeviceDirectory?
    public var persistence = Persistence.always
    /// For one attempt, until the broker's verdict.
    public var connectTimeout: Duration = .seconds(10)
    /// The pauses between attempts grow up to this.
    public var longestPause: Duration = .seconds(30)
    /// How long a reply may take before the request is sent once more; the next repeats wait longer.
    public var firstRepeat: Duration = .seconds(2)

    /// When to try again after an error that is not final.
    public enum Persistence: Hashable, Sendable {
        /// As long as the connection is wanted.
        case always
        /// Only if the gateway was reached at all: for programs that somebody is waiting for.
        case onceReached
    }

    public init(
        gateway: GatewayAddress, device: DeviceAddress, over transport: any DeviceTransport,
        credentials: @escaping @Sendable () async throws -> DeviceCredentials
    ) {
        self.gateway = gateway
        self.device = device
        self.transport = transport
        self.credentials = credentials
    }
}
