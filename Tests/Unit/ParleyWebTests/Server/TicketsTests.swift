import ParleyProtocol
import Synchronization
import Testing

@testable import ParleyWeb

@Suite("Tickets")
struct TicketsTests {
    private static let key = [UInt8](repeating: 7, count: 32)

    private let token: SessionToken

    init() throws { token = try #require(DoorSample.token()) }

    private func tickets(_ clock: ReadClock) throws -> Tickets {
        try Tickets(key: TicketsTests.key) { clock.milliseconds.load(ordering: .relaxed) }
    }

    @Test("a ticket is worth its token once")
    func once() throws {
        let tickets = try tickets(ReadClock())
        let ticket = try tickets.issue(for: token)
        let (opened, use) = try tickets.open(ticket)
        #expect(opened == token)
        try tickets.redeem(use)
        #expect(throws: Rejection.self) { _ = try tickets.open(ticket) }
        #expect(throws: Rejection.self) { try tickets.redeem(use) }
    }

    @Test("a ticket that two requests have opened is redeemed by one")
    func race() throws {
        let tickets = try tickets(ReadClock())
        let ticket = try tickets.issue(for: token)
        let uses = [try tickets.open(ticket).1, try tickets.open(ticket).1]
        try tickets.redeem(uses[0])
        #expect(throws: Rejection.self) { try tickets.redeem(uses[1]) }
    }

    @Test("a ticket is good for 30 seconds, and not for a millisecond more")
    func expiry() throws {
        let clock = ReadClock()
        let tickets = try tickets(clock)
        let ticket = try tickets.issue(for: token)
        clock.milliseconds.wrappingAdd(29_999, ordering: .relaxed)
        _ = try tickets.open(ticket)
        clock.milliseconds.wrappingAdd(1, ordering: .relaxed)
        #expect(throws: Rejection.self) { _ = try tickets.open(ticket) }
    }

    @Test("a ticket of a door with the same key is taken, one of another's and any changed one is not")
    func keys() throws {
        let tickets = try tickets(ReadClock())
        let ticket = try tickets.issue(for: token)
        #expect(try self.tickets(ReadClock()).open(ticket).0 == token)
        let other = try Tickets(key: nil) { 0 }
        #expect(throws: Rejection.self) { _ = try other.open(ticket) }
        for index in ticket.indices.dropLast() {
            var changed = ticket
            changed.replaceSubrange(index...index, with: ticket[index] == "A" ? "B" : "A")
            #expect(throws: Rejection.self) { _ = try tickets.open(changed) }
        }
        for garbage in ["", "A", "%", "ä", String(repeating: "A", count: 54), String(repeating: "A", count: 100_000)] {
            #expect(throws: Rejection.self) { _ = try tickets.open(garbage) }
        }
    }
}

/// A time of day that a test sets.
private final class ReadClock: Sendable {
    let milliseconds = Atomic<Int64>(1_800_000_000_000)
}
