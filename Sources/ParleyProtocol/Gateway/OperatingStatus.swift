/// `admin/status`: how the gateway is, for operators and their probes.
public struct GetOperatingStatus: Query, EmptyRequest {
    public static let operation = Operation(validatedArea: "admin", verb: "status")
    package static let askers = Askers.operators
    public typealias Reply = OperatingStatus

    public init() {}
}

/// The `data` of a reply to `admin/status`. What the gateway does not know is `nil`.
public struct OperatingStatus: GatewayObject {
    public let version: String
    /// The last step of the database's schema.
    public let schema: String?
    /// The version of the broker, as it says itself.
    public let broker: String?
    /// The name of the gateway where several share a store.
    public let cell: String?
    public let startedAt: Timestamp
    /// By the clock that dates messages.
    public let serverTime: Timestamp
    public let work: OperatingWork
    /// Connections of all clients to the broker, the gateway's own two among them.
    public let connections: Int?
    /// People with a connected device.
    public let connectedUsers: Int?
    public let users: Int
    public let devices: Int
    public let storage: OperatingStorage
    /// The devices of operators and of web doors, with the end of their tokens.
    public let credentials: [OperatingCredential]

    public init(
        version: String, schema: String?, broker: String?, cell: String?, startedAt: Timestamp, serverTime: Timestamp,
        work: OperatingWork, connections: Int?, connectedUsers: Int?, users: Int, devices: Int,
        storage: OperatingStorage, credentials: [OperatingCredential]
    ) {
        self.version = version
        self.schema = schema
        self.broker = broker
        self.cell = cell
        self.startedAt = startedAt
        self.serverTime = serverTime
        self.work = work
        self.connections = connections
        self.connectedUsers = connectedUsers
        self.users = users
        self.devices = devices
        self.storage = storage
        self.credentials = credentials
    }

    package init<Pass: FieldPass<OperatingStatus>>(fields pass: inout Pass) throws(Pass.Failure) {
        version = try pass.required("version", \.version, as: .text(64))
        schema = try pass.optional("schema", \.schema, as: .text(64))
        broker = try pass.optional("broker", \.broker, as: .text(256))
        cell = try pass.optional("cell", \.cell, as: .text(64), without: .omitted)
        startedAt = try pass.required("started_at", \.startedAt)
        serverTime = try pass.required("server_time", \.serverTime)
        work = try pass.part(\.work)
        connections = try pass.optional("connections", \.connections)
        connectedUsers = try pass.optional("connected_users", \.connectedUsers)
        users = try pass.required("users", \.users)
        devices = try pass.required("devices", \.devices)
        storage = try pass.part(\.storage)
        credentials = try pass.required("credentials", \.credentials, as: .objects())
    }
}

/// What waits at the gateway, and how much may.
public struct OperatingWork: GatewayObject {
    /// Events and replies that wait for the broker.
    public let unpublished: Int
    public let unpublishedLimit: Int
    public let waitingReads: Int
    public let waitingReadsLimit: Int
    /// Notifications that no push service has taken yet.
    public let waitingPushes: Int
    /// Whether the last transaction of requests has failed.
    public let areWritesFailing: Bool

    public init(
        unpublished: Int, unpublishedLimit: Int, waitingReads: Int, waitingReadsLimit: Int, waitingPushes: Int,
        areWritesFailing: Bool
    ) {
        self.unpublished = unpublished
        self.unpublishedLimit = unpublishedLimit
        self.waitingReads = waitingReads
        self.waitingReadsLimit = waitingReadsLimit
        self.waitingPushes = waitingPushes
        self.areWritesFailing = areWritesFailing
    }

    package init<Pass: FieldPass<OperatingWork>>(fields pass: inout Pass) throws(Pass.Failure) {
        unpublished = try pass.required("unpublished", \.unpublished)
        unpublishedLimit = try pass.required("unpublished_limit", \.unpublishedLimit)
        waitingReads = try pass.required("waiting_reads", \.waitingReads)
        waitingReadsLimit = try pass.required("waiting_reads_limit", \.waitingReadsLimit)
        waitingPushes = try pass.required("waiting_pushes", \.waitingPushes)
        areWritesFailing = try pass.required("writes_fail", \.areWritesFailing)
    }
}

/// Bytes of the gateway's files, and what the disk has left for it.
public struct OperatingStorage: GatewayObject {
    /// `nil` of a database on a server.
    public let database: Int?
    /// What is written beside the database until it is taken into it.
    public let log: Int?
    /// The database of pushes, with its log.
    public let pushes: Int?
    public let free: Int?

    public init(database: Int?, log: Int?, pushes: Int?, free: Int?) {
        self.database = database
        self.log = log
        self.pushes = pushes
        self.free = free
    }

    package init<Pass: FieldPass<OperatingStorage>>(fields pass: inout Pass) throws(Pass.Failure) {
        database = try pass.optional("database_bytes", \.database)
        log = try pass.optional("log_bytes", \.log)
        pushes = try pass.optional("push_bytes", \.pushes)
        free = try pass.optional("free_bytes", \.free)
    }
}

/// A device that an operator or a web door signs in by.
public struct OperatingCredential: GatewayObject {
    public let device: DeviceAddress
    public let expiresAt: Timestamp

    public init(device: DeviceAddress, expiresAt: Timestamp) { (self.device, self.expiresAt) = (device, expiresAt) }

    package init<Pass: FieldPass<OperatingCredential>>(fields pass: inout Pass) throws(Pass.Failure) {
        device = try pass.part(\.device)
        expiresAt = try pass.required("expires_at", \.expiresAt)
    }
}
