import Foundation
import GatewaySite
import ParleyBridge
import ParleyStore
import Platform
import PostgreSQLServer
import Synchronization

/// What it took to write messages from several cells into the same conversations.
struct WrittenMessages {
    var messages = 0
    var seconds = 0.0
    var batches = 0
    var conflicts: Int?
    /// CPU seconds of vacuuming afterwards.
    var vacuum: Double?
    /// CPU seconds.
    var usage = CellUsage(brokers: 0, gateways: 0, database: 0)
    var faults = Faults()

    var rows: [[String]] {
        let micro = 1e6 / Double(max(1, messages))
        let rows = [
            ("messages", "\(messages)"), ("messages/s", (Double(messages) / seconds).formatted(0)),
            ("in a batch", (Double(messages) / Double(max(1, batches))).formatted(0)),
            ("batches tried again", conflicts.map(String.init) ?? ""),
            ("CPU µs: brokers", (usage.brokers * micro).formatted(0)),
            ("CPU µs: gateways", (usage.gateways * micro).formatted(0)),
            ("CPU µs: PostgreSQL", (usage.database * micro).formatted(0)),
            ("CPU µs: vacuum afterwards", vacuum.map { $0 * micro }.formatted(1)),
            ("lost, twice, out of order, refused, holes", "\(faults.count)"),
        ]
        return rows.filter { !$0.1.isEmpty }.map { [$0.0, $0.1] }
    }
}

extension WritersPlan {
    /// Two stores of this process, each on a thread of its own.
    func writeByStores(on server: PostgreSQLServer, scratch: String, stop: StopFlag) throws -> WrittenMessages {
        let access = try ServerAccess(server, scratch: scratch)
        defer { access.close() }
        let stores = try (1...Self.cells).map { try access.store(cell: "cell-\($0)") }
        let directory = DataDirectory(path: try Site.temporaryDirectory(in: scratch))
        defer { Site.remove(directory) }
        try directory.prepare()
        let groups = try Population.make(
            conversations: conversations, members: Self.cells, store: stores[0],
            tokens: TokenIssuer(key: try directory.readSigningKey()))
        let begun = (time: MonotonicTime.now, server: server.cpuSeconds)
        let outcomes = Mutex<[Result<StoreWriter.Outcome, any Error>]>([])
        DispatchQueue.concurrentPerform(iterations: stores.count) { index in
            let senders = groups.map { (conversation: $0.id, device: $0.seats[index].address) }
            let writer = StoreWriter(store: stores[index], number: index, senders: senders)
            let outcome = Result { try writer.write(messages / stores.count, batch: batch, stop: stop) }
            outcomes.withLock { $0.append(outcome) }
        }
        var written = WrittenMessages(conflicts: 0)
        written.seconds = Double(MonotonicTime.now - begun.time) / 1e9
        written.usage.database = server.cpuSeconds - begun.server
        for outcome in outcomes.withLock({ $0 }) {
            let outcome = try outcome.get()
            written.messages += outcome.messages
            written.batches += outcome.batches
            written.conflicts = (written.conflicts ?? 0) + outcome.conflicts
            written.usage.gateways += Double(outcome.processor) / 1e9
        }
        for store in stores { try store.close() }
        let before = server.cpuSeconds
        try access.vacuum()
        written.vacuum = server.cpuSeconds - before
        written.faults = try access.faults(sent: written.messages)
        return written
    }

    /// Two gateways, each with its broker and with a device in every conversation.
    func sendByGateways(
        on server: PostgreSQLServer, _ installation: Installation, stop: StopFlag
    ) throws -> WrittenMessages {
        let cluster = try CellCluster(Self.cells, conversations: conversations, on: server, installation)
        defer { cluster.close() }
        let running = try cluster.start()
        defer { running.end() }
        let fleet = try Fleet(cluster.groups, sendersEach: Self.cells, stop: stop) { cluster.sites[$1].port }
        let plan = LoadPlan(
            pace: .closed(window: max(1, batch / conversations)), form: .event, warmUp: 1, measured: Self.turn)
        var written = WrittenMessages()
        var (sent, first) = (0, try running.usage())
        while sent < messages {
            let outcome = try fleet.run(plan) { edge in
                let usage = try running.usage()
                switch edge {
                case .begin: first = usage
                case .end: written.add(usage - first)
                }
            }
            written.messages += outcome.completed
            written.seconds += outcome.seconds
            written.faults += outcome.faults
            sent += outcome.sent
            report("\(sent) messages, \(Int(outcome.messagesPerSecond)) a second")
        }
        written.faults += try cluster.faults(sent: sent)
        return written
    }

    /// Seconds of the load without a pause.
    private static let turn = 20.0
}

extension WrittenMessages {
    fileprivate mutating func add(_ more: CellUsage) {
        usage.brokers += more.brokers
        usage.gateways += more.gateways
        usage.database += more.database
        batches += more.commits ?? 0
    }
}
