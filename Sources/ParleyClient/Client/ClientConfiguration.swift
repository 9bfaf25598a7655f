import ParleyProtocol

/// How a client connects, where it keeps what it has, and what it follows.
public struct ClientConfiguration: Sendable {
    public var connection: DeviceConfiguration
    /// Where the device's own keys are.
    public var keys: any DeviceKeyStore
    /// Where what is known of others' keys is kept, shared by all processes of the device; and the database.
    public var directory: DeviceDirectory
    public var storage = Storage.database
    /// Which conversations are followed from the beginning; others are as soon as a call names them.
    public var follows = Following.all
    /// Whether the others get a receipt when a message has arrived here.
    public var sendsDeliveredReceipts = true
    /// The time by which messages disappear: this device's clock.
    public var now: @Sendable () -> Timestamp = { .now }
    /// How many events may wait to be taken by each listener.
    public var eventsAhead = 4096

    /// Where messages are kept, and what waits to be sent.
    public enum Storage: Hashable, Sendable {
        /// In `messages.db` of the directory, encrypted under the device's storage key. One client at a time has it
        /// open.
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

    /// A device whose gateway runs on the same machine: everything in `DIR/devices/UID/DID/`, the gateway's address in
    /// `DIR/endpoint.json`.
    ///
    /// - Throws: ``ClientError/noGateway(path:)`` if the directory does not say where its gateway listens.
    public static func local(
        device: DeviceAddress, in dataDirectory: String, protectedBy protection: KeyProtection = .ownership,
        over transport: any DeviceTransport
    ) throws(ClientError) -> ClientConfiguration {
        let endpoint: LocalEndpoint?
        do {
            endpoint = try LocalEndpoint.read(in: dataDirectory)
        } catch {
            endpoint = nil
        }
        guard let endpoint else { throw .noGateway(path: "\(dataDirectory)/endpoint.json") }
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
