import ParleyProtocol

/// How a device connects to its gateway.
public struct DeviceConfiguration: Sendable {
    public var gateway: GatewayAddress
    public var device: DeviceAddress
    /// The MQTT client.
    public var transport: any DeviceTransport
    /// Called for each attempt to connect, so that a renewed token is used at once; an app may ask its own server. An
    /// error is in the event ``ClientEvent/waiting(_:)``, and the next attempt calls again.
    public var credentials: @Sendable () async throws -> DeviceCredentials
    /// Where ``MessagingClient`` stores the token that it renews; `nil` if the app renews its credentials itself.
    public var renewal: TokenRenewal?
    /// Distinguishes this connection from others of the device.
    public var name = ConnectionName.free
    /// The directory that the device's processes share, if any: there they find free names.
    public var directory: DeviceDirectory?
    public var persistence = Persistence.always
    /// For one attempt, until the CONNACK.
    public var connectTimeout: Duration = .seconds(10)
    public var longestPause: Duration = .seconds(30)
    /// The time until a request without a reply is repeated; later repeats wait longer.
    public var firstRepeat: Duration = .seconds(2)

    /// When to retry after an error that is not final.
    public enum Persistence: Hashable, Sendable {
        case always
        /// Only after the gateway was reached once: for command-line programs.
        case onceReached
    }

    public init(
        gateway: GatewayAddress, device: DeviceAddress, over transport: any DeviceTransport,
        credentials: @escaping @Sendable () async throws -> DeviceCredentials
    ) {
        (self.gateway, self.device, self.transport, self.credentials) = (gateway, device, transport, credentials)
    }
}
