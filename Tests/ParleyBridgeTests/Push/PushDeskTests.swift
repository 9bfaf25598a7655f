import Logging
import ParleyProtocol
import ParleyPush
import ParleyRules
import Platform
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// The thread of pushes, with a push service that takes everything; the writer is the test's own thread.
@Suite("The thread of pushes", .ownThreads)
struct PushDeskTests {
    /// Takes everything at once.
    private final class Service: PushSending {
        private let taken = Monitor<[PushDelivery]>([])
        private let exchange: PushExchange

        init(_ exchange: PushExchange) { self.exchange = exchange }

        var count: Int { taken.withLock { $0.count } }

        func room(for provider: PushProvider) -> Int { 4 }

        func submit(_ deliveries: [PushDelivery]) {
            taken.withLock { $0 += deliveries }
            for delivery in deliveries {
                exchange.add(
                    PushOutcome(
                        id: delivery.notification.id, registration: delivery.registration,
                        answer: .accepted(status: 200)))
            }
        }
    }

    /// Writes what the thread posts until a condition holds.
    private func write(_ world: PushWorld, _ exchange: PushExchange, _ wake: WakeUp, until isDone: () -> Bool) throws {
        let deadline = ContinuousClock.now.advanced(by: patience)
        while !isDone() {
            try #require(.now < deadline, "it never came")
            wake.drain()
            if let posting = exchange.takePosting() {
                exchange.answer(world.test.writer.pushes.carryOut(posting, now: at(0)).0)
            } else {
                var watched = [WatchedDescriptor(wake.descriptor)]
                try waitForEvents(&watched, timeout: .milliseconds(20))
            }
        }
    }

    @Test("who leaves and has missed nothing holds up nobody, and what is noted is sent each time")
    func departures() async throws {
        let world = try PushWorld()
        let wake = try WakeUp()
        let exchange = try PushExchange { wake.signal() }
        let service = Service(exchange)
        let (store, people) = (world.test.store, world.people)
        let reading = ClockReading(wall: at(0), sinceBoot: 0)
        async let desk: Void = LoopThread.run(name: "parley-push") {
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            try PushDesk(
                store: store, settings: Settings(), exchange: exchange, people: people, sender: service, sink: nil,
                clock: MachineClock(boot: nil, logger: logger) { reading }, logger: logger
            ).run()
        }
        // Else the desk would be awaited for ever when something fails here.
        defer { exchange.close() }
        for round in 1...3 {
            for _ in 0..<40 {
                people.arrive("carol")
                people.leave("carol", at: at(0))
            }
            try world.write()
            exchange.recordNoted()
            try write(world, exchange, wake) { service.count == round && !people.hasDepartures }
        }
        exchange.close()
        try await desk
        #expect(service.count == 3)
    }
}
