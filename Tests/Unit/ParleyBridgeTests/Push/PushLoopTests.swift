import Logging
import ParleyProtocol
import ParleyPush
import ParleyRules
import Platform
import TestNames
import TestSupport
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// The thread of pushes, with a push service that takes everything; the writer is the test's own thread.
@Suite("The thread of pushes", .ownThreads, .onEveryStore)
struct PushLoopTests {
    /// Takes everything at once.
    private final class Service: PushSending {
        private let taken = Monitor<[PushDelivery]>([])
        private let inbox: PushInbox

        init(_ inbox: PushInbox) { self.inbox = inbox }

        var count: Int { taken.withLock { $0.count } }

        func room(for provider: PushProvider) -> Int { 4 }

        func submit(_ deliveries: [PushDelivery]) {
            taken.withLock { $0 += deliveries }
            for delivery in deliveries {
                inbox.add(
                    PushOutcome(
                        id: delivery.notification.id, registration: delivery.registration,
                        answer: .accepted(status: 200)))
            }
        }
    }

    /// The thread of pushes of a world.
    private struct Running: Sendable {
        let store: Store
        let pushes: PushStore
        let counters: Counters
        let shared: PushShared
        let inbox: PushInbox
        let service: Service

        init(_ world: PushWorld) throws {
            let push = world.test.writer.push
            (store, pushes, counters) = (world.test.store, world.test.pushes, world.test.counters)
            shared = PushShared(
                people: push.people, displaying: push.displaying, announcements: push.announcements)
            inbox = try PushInbox()
            service = Service(inbox)
        }

        func run() async throws {
            try await LoopThread.run(name: "parley-push") {
                let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                let reading = ClockReading(wall: at(0), sinceBoot: 0)
                try PushLoop(
                    store: store, pushes: pushes, settings: Settings(), inbox: inbox, shared: shared, sender: service,
                    sink: nil, clock: MachineClock(boot: nil, logger: logger) { reading }, counters: counters,
                    logger: logger
                ).run()
            }
        }

        /// Has the thread go on until a condition holds.
        func until(_ isDone: () throws -> Bool) throws {
            let deadline = ContinuousClock.now.advanced(by: patience)
            var none: [WatchedDescriptor] = []
            while try !isDone() {
                try #require(.now < deadline, "it never came")
                inbox.arrived.signal()
                try waitForEvents(&none, timeout: .milliseconds(5))
            }
        }

        /// The same, and the writer carries out what the thread announces.
        func until(_ writer: Writer, _ isDone: () throws -> Bool) throws {
            try until {
                writer.run(PushAnnouncementDuty.self, now: at(0))
                return try isDone()
            }
        }
    }

    @Test("who leaves and has missed nothing holds up nobody, and each event is sent")
    func departures() async throws {
        let world = try PushWorld()
        let running = try Running(world)
        async let thread: Void = running.run()
        // Else the thread would be awaited for ever when something fails here.
        defer { running.inbox.close() }
        for round in 1...3 {
            for _ in 0..<40 {
                world.people.arrive("carol")
                world.people.leave("carol", at: at(-60_000))
            }
            try world.write()
            try running.until(world.test.writer) { running.service.count == round && !world.people.hasDepartures() }
        }
        running.inbox.close()
        try await thread
        #expect(running.service.count == 3)
    }

    @Test("while the writer carries out nothing, what is planned is sent, and no more is decided; then all is, once")
    func writerBusy() async throws {
        let world = try PushWorld()
        let running = try Running(world)
        async let thread: Void = running.run()
        defer { running.inbox.close() }
        try world.write()
        try running.until { try running.service.count == 1 && world.text("SELECT count(*) FROM jobs") == "0" }
        try world.write()
        // Where both databases are one, the first is gone with its plan.
        #expect(try world.test.text("SELECT count(*) FROM push_events") == (world.test.pushes.isShared ? "1" : "2"))
        try running.until(world.test.writer) { running.service.count == 2 }
        try running.until(world.test.writer) { try world.test.text("SELECT count(*) FROM push_events") == "0" }
        running.inbox.close()
        try await thread
        #expect(try world.unpublished("notification.new") == 2)
    }
}
