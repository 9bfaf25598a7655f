import ParleyProtocol
import ParleyStore
import Platform
import PrivateFiles

/// What is known of the broker and of the loops, for `admin/status`. Set by whoever finds it out.
final class OperatingFacts: Sendable {
    /// The room that waiting reads take.
    let waitingReads = Counter()
    private let broker = Monitor<(version: String?, connections: Int?)>((nil, nil))

    var brokerVersion: String? { broker.withLock { $0.version } }
    var connections: Int? { broker.withLock { $0.connections } }

    /// Takes what the broker says of itself.
    func hear(_ topic: String, _ payload: String) {
        switch topic {
        case BrokerStatistics.versionTopic: broker.withLock { $0.version = String(payload.prefix(256)) }
        case BrokerStatistics.connectionsTopic: broker.withLock { $0.connections = Int(payload) }
        default: break
        }
    }
}

extension BrokerStatistics {
    /// Such as `mosquitto version 2.0.11`.
    static let versionTopic = "$SYS/broker/version"
}

/// What of `admin/status` is not in the database.
final class OperatingSource: Sendable {
    let startedAt: Timestamp
    private let directory: DataDirectory
    private let isFile: Bool
    private let queue: OutQueue
    private let readiness: Readiness
    private let counted = Monitor<(users: Int, devices: Int, until: ContinuousClock.Instant)?>(nil)

    init(startedAt: Timestamp, directory: DataDirectory, isFile: Bool, queue: OutQueue, readiness: Readiness) {
        self.startedAt = startedAt
        self.directory = directory
        self.isFile = isFile
        self.queue = queue
        self.readiness = readiness
    }

    var unpublished: Int { queue.load.items }
    var areWritesFailing: Bool { !readiness[.databaseWritable] }

    var storage: OperatingStorage {
        let path = directory.database
        return OperatingStorage(
            database: isFile ? Files.size(of: path) : nil, log: isFile ? Files.size(of: path + "-wal") : nil,
            pushes: isFile
                ? Files.size(of: directory.pushDatabase).map {
                    $0 + (Files.size(of: directory.pushDatabase + "-wal") ?? 0)
                } : nil,
            free: try? Files.freeBytes(at: directory.path))
    }

    /// Numbers for which whole tables are gone through: in a large database they are kept for a thousand times as long
    /// as that takes.
    func counts(in snapshot: Snapshot) throws(StoreError) -> (users: Int, devices: Int) {
        let begin = ContinuousClock.now
        if let kept = counted.withLock({ $0 }), begin < kept.until { return (kept.users, kept.devices) }
        let (users, devices) = (try snapshot.sizes.people(), try snapshot.sizes.devices())
        let took = begin.duration(to: .now)
        counted.withLock { $0 = took < Self.unnoticed ? nil : (users, devices, .now.advanced(by: took * 1000)) }
        return (users, devices)
    }

    private static let unnoticed = Duration.milliseconds(5)
}
