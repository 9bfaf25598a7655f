import Logging
import ParleyProtocol
import ParleyPush
import ParleyRules
import ParleyStore
import Platform

extension PushSender: PushSending {}

/// The parts of pushes: what they share, the thread that decides, and what sends.
final class PushService: Sendable {
    let people = ConnectedPeople()
    let exchange: PushExchange
    /// What a browser subscribes with, in base64url.
    let vapidPublicKey: String
    private let sender: PushSender
    private let directory: DataDirectory
    private let settings: Settings
    private let logger: Logger

    /// - Throws: `DataDirectoryError` for a setting that names no such file, or one that is no such key.
    init(_ directory: DataDirectory, _ settings: Settings, queue: OutQueue, logger: Logger) throws {
        self.directory = directory
        self.settings = settings
        self.logger = logger
        let exchange = try PushExchange(wakeWriter: { queue.roomMade.signal() })
        self.exchange = exchange
        let configuration = try directory.pushConfiguration(settings)
        for sentence in configuration.warnings() {
            logger.warning("pushes cannot be sent", metadata: ["reason": "\(sentence)"])
        }
        vapidPublicKey = configuration.vapid.publicKeyText
        do throws(PushConfigurationError) {
            sender = try PushSender(configuration, logger: logger) { exchange.add($0) }
        } catch {
            throw DataDirectoryError("\(directory.settings): \(error)")
        }
    }

    /// For the writer: what is noted wakes the thread that decides.
    func noting(_ store: Store, _ settings: Settings) throws(StoreError) -> PushNoting {
        let noting = PushNoting(settings, people: people) { [exchange] in exchange.recordNoted() }
        try store.read { try noting.load($0) }
        return noting
    }

    /// Decides and sends until `close`, and then until what is under way has its answer, some seconds at most.
    func run(_ store: Store, clock: MachineClock) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                do {
                    try await sender.run()
                } catch {
                    // Nothing can be sent: nothing is decided any more.
                    close()
                    throw error
                }
            }
            group.addTask { [self] in
                defer { sender.stop() }
                try await LoopThread.run(name: "parley-push") { [self] in
                    try PushDesk(
                        store: store, settings: settings, exchange: exchange, people: people, sender: sender,
                        sink: PushSink(settings.pushSink, in: directory, logger: logger), clock: clock, logger: logger
                    ).run()
                }
            }
            try await group.waitForAll()
        }
    }

    func close() { exchange.close() }

    /// Called before anything is decided: what an earlier process was sending may have arrived, and is sent again.
    func resume(_ store: Store, clock: MachineClock, counters: Counters) throws(StoreError) {
        let moment = clock.moment
        let steady = moment.now.advanced(byMilliseconds: -moment.steps)
        let count = try store.write { try $0.pushJobs.resume(now: steady) }
        guard count > 0 else { return }
        counters.pushesUncertain.add(count)
        logger.notice("notifications that may have arrived are sent again", metadata: ["count": "\(count)"])
    }

    /// What has come from push services since the writer ended: called when everything else has.
    func recordEnd(in store: Store, _ clock: MachineClock) throws(StoreError) {
        let outcomes = exchange.drainOutcomes()
        let moment = clock.moment
        let steady = moment.now.advanced(byMilliseconds: -moment.steps)
        try store.write { transaction in
            let settlement = SettlePushes(transaction: transaction, now: moment.now, steady: steady)
            let jobs = try transaction.facts.pushJobs.jobs(outcomes.map(\.id))
            var effects = Effects()
            for outcome in outcomes {
                guard let job = jobs[outcome.id] else { continue }
                guard case .ended(let end) = try settlement.settle(job, outcome) else { continue }
                try effects.publish(end, transaction)
            }
            try transaction.pushJobs.release(now: steady)
            // They are published at the next start.
            try effects.write(in: transaction)
        }
    }
}

extension DataDirectory {
    /// Looks whether what the settings say of pushes can be used: the files that they name, and what is in them.
    ///
    /// - Returns: what keeps them from being sent all the same, in sentences for the operator.
    package func checkPushes(_ settings: Settings) throws(DataDirectoryError) -> [String] {
        let configuration = try pushConfiguration(settings, makesKey: false)
        do throws(PushConfigurationError) {
            _ = try PushSender(configuration, logger: Logger(label: "check")) { _ in }
        } catch {
            throw DataDirectoryError("\(self.settings): \(error)")
        }
        return configuration.warnings()
    }

    /// A file that a setting names; `nil` where it names none.
    private func file(
        _ name: String, of setting: String, isSecret: Bool = true
    ) throws(DataDirectoryError) -> [UInt8]? {
        guard !name.isEmpty else { return nil }
        do throws(DataDirectoryError) {
            return isSecret ? try readSecret(name) : try read(name)
        } catch {
            throw DataDirectoryError("\(settings): \(setting): \(error)")
        }
    }

    /// What pushes are sent with, as the settings say. The key of Web Push is made where there is none.
    func pushConfiguration(
        _ settings: Settings, makesKey: Bool = true
    ) throws(DataDirectoryError) -> PushConfiguration {
        let key = try vapidKey(makesFile: makesKey, VAPIDKey.makePrivateKey)
        let apnsKey = try file(settings.apnsKeyFile, of: "apns_key_file")
        let fcmAccount = try file(settings.fcmAccountFile, of: "fcm_account_file")
        let trusted = try file(settings.pushTrustFile, of: "push_trust_file", isSecret: false)
        do throws(PushConfigurationError) {
            let vapid = try VAPIDKey(
                privateKey: key,
                subject: settings.vapidSubject.isEmpty ? DataDirectory.nobody : settings.vapidSubject)
            var configuration = PushConfiguration(
                vapid: vapid, allowsPrivateEndpoints: settings.pushAllowPrivateEndpoints,
                trustRoots: trusted.map { [$0] } ?? [], limits: PushLimits(perProvider: settings.pushConcurrency))
            if let apnsKey {
                configuration.apns = try APNsCredentials(
                    keyPEM: apnsKey, keyID: settings.apnsKeyID, teamID: settings.apnsTeamID, url: settings.apnsURL)
            }
            if let fcmAccount {
                configuration.fcm = try FCMCredentials(account: fcmAccount, url: settings.fcmURL)
            }
            return configuration
        } catch {
            throw DataDirectoryError("\(self.settings): \(error)")
        }
    }

    private static let nobody = "mailto:nobody@parley.invalid"
}
