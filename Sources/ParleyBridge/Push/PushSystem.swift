import Foundation
import Logging
import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore
import Platform

extension PushSender: PushSending {}

/// The parts of pushes: their database, the state they share with the writer, the thread that decides, and the sender.
final class PushSystem: Sendable {
    let store: PushStore
    /// The `applicationServerKey` of subscriptions, in base64url.
    let vapidPublicKey: String
    private let shared: PushShared
    private let inbox: PushInbox
    private let sender: PushSender
    private let directory: DataDirectory
    private let settings: Settings
    private let logger: Logger

    /// - Parameters:
    ///   - main: the main database, which may have the tables of pushes.
    ///   - wakeWriter: called when there is work for the writer.
    /// - Throws: `DataDirectoryError` for a setting whose file or value cannot be used.
    init(
        _ directory: DataDirectory, _ settings: Settings, main: Store? = nil, logger: Logger,
        wakeWriter: @escaping @Sendable () -> Void
    ) throws {
        self.directory = directory
        self.settings = settings
        self.logger = logger
        store = try main.flatMap(PushStore.init(in:)) ?? Self.open(directory, logger)
        let inbox = try PushInbox()
        self.inbox = inbox
        shared = PushShared(
            announcements: PushAnnouncements(wakeWriter: wakeWriter, wakePushes: { inbox.arrived.signal() }))
        let configuration = try directory.pushConfiguration(settings)
        for sentence in configuration.warnings() {
            logger.warning("pushes cannot be sent", metadata: ["reason": "\(sentence)"])
        }
        vapidPublicKey = configuration.vapid.publicKeyText
        sender = try directory.naming { () throws(PushConfigurationError) in
            try PushSender(configuration, logger: logger) { inbox.add($0) }
        }
    }

    /// A damaged database is put aside, and its jobs are lost: messages do not wait for it.
    private static func open(_ directory: DataDirectory, _ logger: Logger) throws(StoreError) -> PushStore {
        let path = directory.pushDatabase
        do throws(StoreError) {
            return try PushStore(path: path)
        } catch {
            guard case .unusable = error else { throw error }
            let aside = "\(path).unusable-\(Timestamp.systemNow.milliseconds)"
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
            }
            logger.error(
                "the database of pushes cannot be used: a new one is made, and notifications on their way are lost",
                metadata: ["reason": "\(error)", "kept": "\(aside)"])
            return try PushStore(path: path)
        }
    }

    var people: ConnectedPeople { shared.people }

    /// The writer's gate, whose events wake the thread of pushes.
    func gate(_ main: Store) throws(StoreError) -> PushGate {
        let gate = PushGate(settings, shared) { [inbox] in inbox.arrived.signal() }
        try main.read { snapshot in
            try store.read(beside: snapshot) { try gate.load(snapshot, $0, sharesDevices: store.isShared) }
        }
        return gate
    }

    /// Decides and sends until `close`, and then waits for the outcomes of what is under way, some seconds at most.
    func run(_ main: Store, clock: MachineClock, counters: Counters) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                do {
                    try await sender.run()
                } catch {
                    // Nothing can be sent, so nothing is decided either.
                    close()
                    throw error
                }
            }
            group.addTask { [self] in
                defer { sender.stop() }
                try await LoopThread.run(name: "parley-push") { [self] in
                    try PushLoop(
                        store: main, pushes: store, settings: settings, inbox: inbox, shared: shared,
                        sender: sender, sink: PushSink(settings.pushSink, in: directory, logger: logger), clock: clock,
                        counters: counters, logger: logger
                    ).run()
                }
            }
            try await group.waitForAll()
        }
    }

    func close() { inbox.close() }

    /// Called before anything is decided: links the two databases, and makes the jobs due again that an earlier process
    /// was sending.
    func resume(_ main: Store, clock: MachineClock, counters: Counters) throws(StoreError) {
        if store.isShared { try takeOverFile(of: main) }
        try store.link(to: main, name: InstanceName.random())
        let steady = store.moment(of: clock).steady
        let count = try store.write { transaction in
            try transaction.endEarlierLeases()
            return try transaction.jobs.resume(now: steady)
        }
        if count > 0 { counters.report(count, logger) }
    }

    /// Earlier versions of a cell had pushes in a file of their own.
    private func takeOverFile(of main: Store) throws(StoreError) {
        let path = directory.pushDatabase
        guard FileManager.default.fileExists(atPath: path) else { return }
        let file = try Self.open(directory, logger)
        try store.takeOver(file, of: main)
        try file.checkpoint()
        try file.close()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.moveItem(atPath: path + suffix, toPath: "\(path).moved\(suffix)")
        }
        logger.notice("notifications were moved to the database of all cells", metadata: ["from": "\(path)"])
    }

    /// Records the outcomes since the thread of pushes has ended; called when everything else has.
    func recordEnd(in main: Store, _ clock: MachineClock, _ counters: Counters) throws(StoreError) {
        let outcomes = inbox.drainOutcomes()
        let moment = store.moment(of: clock)
        func write<Result>(_ body: (inout PushQueue) throws -> Result) throws(StoreError) -> Result {
            try store.write(settings, counters, now: moment.now, steady: moment.steady, body)
        }
        let ends = try write { try $0.record(outcomes) }
        var results = shared.announcements.takeResult()?.ends ?? []
        if !ends.isEmpty {
            results += try main.write { transaction in
                var effects = Effects()
                let results = try ends.map { end in
                    let (result, push) = try transaction.end(end, at: moment.now)
                    if let push { try effects.publish(push, transaction) }
                    return (end: end, result: result)
                }
                // They are published at the next start.
                try effects.write(in: transaction)
                return results
            }
        }
        try write { queue in
            try queue.record(results)
            try queue.transaction.jobs.release(now: moment.steady)
            try queue.transaction.endLease()
        }
        try store.checkpoint()
    }
}

extension PushStore {
    /// The time of transactions. Gateways share the time of day, and no other.
    func moment(of clock: MachineClock) -> Moment {
        let moment = clock.moment
        return isShared ? Moment(now: moment.now, clockOffset: 0) : moment
    }
}

extension Counters {
    /// Counts and logs notifications that a process was sending which is gone.
    func report(_ count: Int, _ logger: Logger) {
        pushesUncertain.add(count)
        logger.notice("notifications that may have arrived are sent again", metadata: ["count": "\(count)"])
    }
}

extension DataDirectory {
    /// Checks the settings of pushes and the files that they name.
    ///
    /// - Returns: what else keeps pushes from being sent, in sentences for the operator.
    package func checkPushes(_ settings: Settings) throws(DataDirectoryError) -> [String] {
        let configuration = try pushConfiguration(settings, makesKey: false)
        _ = try naming { () throws(PushConfigurationError) in
            try PushSender(configuration, logger: Logger(label: "check")) { _ in }
        }
        return configuration.warnings()
    }

    /// A file that a setting names; `nil` where it names none.
    func file(
        _ name: String, of setting: String, isSecret: Bool = true
    ) throws(DataDirectoryError) -> [UInt8]? {
        guard !name.isEmpty else { return nil }
        do throws(DataDirectoryError) {
            return isSecret ? try readSecret(name) : try read(name)
        } catch {
            throw DataDirectoryError("\(settings): \(setting): \(error)")
        }
    }

    /// The configuration by the settings. The key of Web Push is made where there is none.
    func pushConfiguration(
        _ settings: Settings, makesKey: Bool = true
    ) throws(DataDirectoryError) -> PushConfiguration {
        let key = try vapidKey(makesFile: makesKey, VAPIDKey.makePrivateKey)
        let trusted = try file(settings.pushTrustFile, of: "push_trust_file", isSecret: false)
        var values: [String: [UInt8]] = [:]
        for setting in ProviderSetting.all {
            let text = settings[provider: setting.name]
            values[setting.name] = setting.value == .secretFile ? try file(text, of: setting.name) : Array(text.utf8)
        }
        return PushConfiguration(
            values: values, vapid: try naming { () throws(PushConfigurationError) in try VAPIDKey(privateKey: key) },
            allowsPrivateEndpoints: settings.pushAllowPrivateEndpoints, trustRoots: trusted.map { [$0] } ?? [],
            limits: PushLimits(perProvider: settings.pushConcurrency))
    }

    /// Names the settings' file in an error of the configuration.
    fileprivate func naming<Value>(
        _ body: () throws(PushConfigurationError) -> Value
    ) throws(DataDirectoryError) -> Value {
        do throws(PushConfigurationError) { return try body() } catch {
            throw DataDirectoryError("\(settings): \(error)")
        }
    }
}
