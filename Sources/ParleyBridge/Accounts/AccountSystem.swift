import Logging
import ParleyProtocol
import ParleyStore
import Platform

/// The parts of accounts beside the writer: the desk, and the thread of mails.
final class AccountSystem: Sendable {
    let desk: AccountDesk
    let mails: MailOutbox
    let providers: [IdentityProvider]
    private let services: AccountServices
    private let store: Store
    private let tokens: TokenIssuer
    private let clock: MachineClock
    private let woken: WakeUp
    private let logger: Logger

    /// - Parameter queue: for refusals; it wakes the writer too.
    init(
        store: Store, settings: Settings, tokens: TokenIssuer, services: AccountServices, queue: OutQueue,
        counters: Counters, clock: MachineClock, logger: Logger
    ) throws {
        let woken = try WakeUp()
        let wakeWriter: @Sendable () -> Void = { queue.intakeWake.signal() }
        desk = try AccountDesk(
            store: store, settings: settings, tokens: tokens, identities: services.identities, queue: queue,
            counters: counters, wakeWriter: wakeWriter)
        mails = MailOutbox(wakeWriter: wakeWriter, wakeMails: { woken.signal() })
        providers = services.identities.providers
        self.services = services
        self.store = store
        self.tokens = tokens
        self.clock = clock
        self.woken = woken
        self.logger = logger
    }

    /// Runs until `close`.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in try await desk.run() }
            group.addTask { [self] in try await services.run() }
            group.addTask { [self] in
                defer { services.stop() }
                try await LoopThread.run(name: "parley-mail") { [self] in
                    try MailLoop(
                        store: store, tokens: tokens, outbox: mails, mailer: services.mailer,
                        clock: { [clock] in clock.moment }, woken: woken, logger: logger
                    ).run()
                }
            }
            do {
                // The first that fails ends the others.
                while try await group.next() != nil {}
            } catch {
                close()
                services.stop()
                throw error
            }
        }
    }

    func close() {
        desk.close()
        mails.close()
    }
}
