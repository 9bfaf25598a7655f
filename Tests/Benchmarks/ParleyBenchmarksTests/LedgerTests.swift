import Testing

@testable import parley_bench

@Suite("A ledger finds every fault that a delivery can have")
struct LedgerTests {
    private static let listeners = 2
    private var ledger = Ledger(run: 7, senders: 1, listeners: LedgerTests.listeners, listenersEach: 2)

    private mutating func send(_ count: Int) throws -> [MessageNumber] {
        var numbers: [MessageNumber] = []
        for moment in 0..<count {
            let number = ledger.send(0, dueAt: Int64(moment))
            numbers.append(try #require(number))
        }
        return numbers
    }

    private mutating func deliver(_ numbers: [MessageNumber], to listener: Int) -> [Int64] {
        numbers.compactMap { ledger.deliver($0, to: listener, of: 0) }
    }

    @Test("a message is complete when its last listener has it, and not before")
    mutating func completion() throws {
        let numbers = try send(3)
        let first = deliver(numbers, to: 0)
        #expect(first == [])
        #expect(ledger.underway == 3)
        let second = deliver(numbers, to: 1)
        #expect(second == [0, 1, 2])
        #expect(ledger.underway == 0)
        ledger.close()
        #expect(ledger.faults == Faults())
    }

    @Test("what one listener does not get is lost")
    mutating func loss() throws {
        let numbers = try send(3)
        _ = deliver(numbers, to: 0)
        _ = deliver([numbers[0], numbers[2]], to: 1)
        ledger.close()
        #expect(ledger.faults == Faults(losses: 1))
    }

    @Test("what a listener gets again is a duplicate, and completes nothing")
    mutating func duplicate() throws {
        let numbers = try send(1)
        let completed = deliver([numbers[0], numbers[0]], to: 0)
        #expect(completed == [])
        ledger.close()
        #expect(ledger.faults == Faults(losses: 1, duplicates: 1))
    }

    @Test("what comes after a later message is out of order, and no loss")
    mutating func reordering() throws {
        let numbers = try send(3)
        _ = deliver(numbers, to: 0)
        let completed = deliver([numbers[2], numbers[0], numbers[1]], to: 1)
        #expect(completed == [2, 0, 1])
        ledger.close()
        #expect(ledger.faults == Faults(reorderings: 2))
    }

    @Test(
        "what nobody sent in this run and by this sender is refused",
        arguments: [
            MessageNumber(sender: 0, run: 6, count: 0), MessageNumber(sender: 1, run: 7, count: 0),
            MessageNumber(sender: 0, run: 7, count: 1),
        ])
    mutating func stray(_ number: MessageNumber) throws {
        _ = try send(1)
        let completed = deliver([number], to: 0)
        #expect(completed == [])
        #expect(ledger.faults.refusals == 1)
    }

    @Test("nothing is sent while a message as old as the ledger is deep is under way")
    mutating func depth() throws {
        let numbers = try send(Ledger.depth)
        let beyond = ledger.send(0, dueAt: 0)
        #expect(beyond == nil)
        for listener in 0..<LedgerTests.listeners { _ = deliver([numbers[0]], to: listener) }
        let next = ledger.send(0, dueAt: 0)
        #expect(next != nil)
    }
}
