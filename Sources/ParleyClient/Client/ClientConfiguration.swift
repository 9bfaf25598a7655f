import ParleyProtocol

/// How a client connects, where it stores its data, and which conversations it follows.
public struct ClientConfiguration: Sendable {
    public var connection: DeviceConfiguration
    public var keys: any DeviceKeyStore
    /// The device's directory, shared by all its processes: other users' keys, and the database.
    public var directory: DeviceDirectory
    public var storage = Storage.database
    /// The conversations that are followed from the start; others are followed once a call names them.
    public var follows = Following.all
    /// Whether the client sends "delivered" receipts.
    public var sendsDeliveredReceipts = true
    /// The web door that files go by; without one none is sent or fetched.
    public var door: WebDoorAccess?
    /// The clock by which messages expire.
    public var now: @Sendable () -> Timestamp = { .now }
    /// The events that each listener may fall behind before it misses some.
    public var eventsAhead = 4096

    /// Where messages and the send queue are stored.
    public enum Storage: Hashable, Sendable {
        /// In `messages.db` of the directory, encrypted under the device's storage key. One client at a time can open
        /// it.
        case database
        /// For as long as the client lives: for tools that run beside an app.
        case memory
    }

    public enum Following: Hashable, Sendable {
        case all
        case only(Set<ConversationID>)
    }

    public init(connection: DeviceConfiguration, keys: any DeviceKeyStore, directory: DeviceDirectory) {
        self.connection = connection
        if connection.directory == nil { self.connection.directory = directory }
        self.keys = keys
        self.directory = directory
    }

    /// A device of a gateway on this machine: its files are in `DIR/devices/UID/DID/`, the gateway's address in
    /// `DIR/endpoint.json`.
    ///
    /// - Throws: ``ClientError/noGateway(path:)`` if there is no such address.
    public static func local(
        device: DeviceAddress, in dataDirectory: String, protectedBy protection: KeyProtection = .ownership,
        over transport: any DeviceTransport
    ) throws(ClientError) -> ClientConfiguration {
        guard let endpoint = try? LocalEndpoint.read(in: dataDirectory) else {
            throw .noGateway(path: "\(dataDirectory)/endpoint.json")
        }
        let directory = DeviceDirectory(of: device, in: dataDirectory)
        var connection = DeviceConfiguration(gateway: endpoint.address, device: device, over: transport) {
            try directory.readCredentials()
        }
        connection.renewal = .stored(in: directory)
        return ClientConfiguration(
            connection: connection,
            keys: FileKeyStore(in: directory, protectedBy: protection), directory: directory)
    }

    var databasePath: String { directory.databasePath }
}
