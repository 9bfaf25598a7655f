import ParleyProtocol
import Testing

@testable import ParleyDeviceStore

struct QueueTests {
    private let directory: TemporaryDirectory
    private let store: DeviceStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try directory.open()
    }

    /// Puts messages 1, 2, 3 … to these conversations.
    private func enqueue(_ conversations: [UInt64]) throws {
        try store.write { transaction throws in
            for (index, number) in conversations.enumerated() {
                #expect(
                    try transaction.enqueue(
                        message(UInt64(index) + 1), in: conversation(number), content: [UInt8(index) + 1]))
            }
        }
    }

    /// Which message is to be sent at a time; 0 for none.
    private func next(at time: Int64 = 0) throws -> UInt64 {
        switch try store.read({ try $0.nextStep(at: at(time)) }) {
        case .send(let queued, let content):
            #expect(content == [UInt8(queued.id.value.low)])
            return queued.id.value.low
        case .damaged, .wait, .done: return 0
        }
    }

    @Test func `messages are sent in the order in which they were written`() throws {
        #expect(try store.read { try $0.nextStep(at: at(0)) } == .done)
        try enqueue([1, 2, 1])
        for expected in 1...3 as ClosedRange<UInt64> {
            #expect(try next() == expected)
            try store.write { try $0.discard(message(expected)) }
        }
        #expect(try store.read { try $0.nextStep(at: at(0)) } == .done)
    }

    @Test func `a message that waits holds up its conversation and no other`() throws {
        try enqueue([1, 1, 2])
        #expect(try store.write { try $0.noteAttempt(message(1), notBefore: at(100)) })
        #expect(try next() == 3)
        try store.write { try $0.noteAttempt(message(3), notBefore: at(50)) }
        #expect(try store.read { try $0.nextStep(at: at(49)) } == .wait(until: at(50)))
        #expect(try next(at: 50) == 3)
        #expect(try next(at: 100) == 1)
        try store.write { try $0.forgetWaits() }
        #expect(try next() == 1)
        #expect(try store.read { try $0.queued(message(1)) }?.attempts == 1)
    }

    @Test func `one that is set aside lets those behind it go on, and comes back to its place`() throws {
        try enqueue([1, 1])
        #expect(try store.write { try $0.setAside(message(1), reason: "too large") })
        #expect(try next() == 2)
        #expect(try store.read { try $0.queued(message(1)) }?.state == .setAside(reason: "too large"))
        #expect(try store.write { try $0.retry(message(1)) })
        #expect(try next() == 1)
        #expect(try store.read { try $0.queued(message(1)) }?.state == .pending)
    }

    @Test func `the request that was sent is kept for its repeats`() throws {
        try enqueue([1])
        #expect(try store.write { try $0.setRequest([9, 9], of: message(1)) })
        #expect(try store.read { try $0.queued(message(1)) }?.request == [9, 9])
        try store.write { try $0.setRequest(nil, of: message(1)) }
        #expect(try store.read { try $0.queued(message(1)) }?.request == nil)
    }

    @Test func `finishing takes it out of the queue and into the log at once`() throws {
        try enqueue([1, 1])
        let sent = stored("sent", seq: 5, id: message(1))
        #expect(try store.write { try $0.finish(sent) } == .inserted)
        #expect(try store.read { try $0.queued() }.map(\.id) == [message(2)])
        #expect(try store.texts(.newest) == ["sent"])
        // Its own event may have come first.
        try store.write { try $0.insert(stored("sent", seq: 6, id: message(2))) }
        #expect(try store.write { try $0.finish(stored("sent", seq: 6, id: message(2))) } == .known)
        #expect(try store.read { try $0.queued() }.isEmpty)
    }

    @Test func `an id waits once, and not when it was sent`() throws {
        try enqueue([1])
        #expect(try !store.write { try $0.enqueue(message(1), in: conversation(1), content: [7]) })
        try store.write { try $0.finish(stored("sent", seq: 5, id: message(1))) }
        #expect(try !store.write { try $0.enqueue(message(1), in: conversation(1), content: [7]) })
        #expect(try store.read { try $0.queued() }.isEmpty)
    }

    @Test func `what is not in the queue is said to be so`() throws {
        try store.write { transaction throws in
            #expect(try !transaction.setRequest([1], of: message(1)))
            #expect(try !transaction.noteAttempt(message(1), notBefore: at(0)))
            #expect(try !transaction.setAside(message(1), reason: "none"))
            #expect(try !transaction.retry(message(1)))
            #expect(try !transaction.discard(message(1)))
        }
    }

    @Test func `everything in the queue is there after a restart, in its order`() throws {
        try enqueue([1, 2, 1])
        try store.write { transaction throws in
            try transaction.setRequest([4], of: message(1))
            try transaction.noteAttempt(message(1), notBefore: at(10))
            try transaction.setAside(message(2), reason: "too large")
        }
        let before = try store.read { try $0.queued() }
        try store.close()
        let again = try directory.open()
        #expect(try again.read { try $0.queued() } == before)
        #expect(before.map(\.id) == [message(1), message(2), message(3)])
        #expect(try again.read { try $0.queued(in: conversation(2)) }.map(\.id) == [message(2)])
    }

    @Test func `a damaged message is shown as such, set aside and got out of the way`() throws {
        try enqueue([1, 1])
        try store.execute("UPDATE queue SET sealed_content = zeroblob(60) WHERE position = 1")
        guard case .damaged(let damaged) = try store.read({ try $0.nextStep(at: at(0)) }) else {
            Issue.record("it was taken for whole")
            return
        }
        #expect(damaged.id == message(1) && damaged.content == nil)
        try store.write { try $0.setAside(damaged.id, reason: "damaged") }
        #expect(try next() == 2)
    }
}
