import TestSupport
import ParleyProtocol
import TestNames
import Testing

@testable import ParleyDeviceStore

@Suite("The queue of messages to be sent")
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

    @Test("messages wait in the order in which they were written")
    func waitsInOrder() throws {
        try enqueue([1, 2, 1])
        let queued = try store.read { try $0.queued() }
        #expect(queued.map(\.id) == [message(1), message(2), message(3)])
        #expect(queued.map(\.content) == [[1], [2], [3]])
        #expect(queued.map(\.position) == queued.map(\.position).sorted())
        #expect(try store.read { try $0.queued(in: conversation(1)) }.map(\.id) == [message(1), message(3)])
        #expect(try store.read { try $0.queued(message(2)) } == queued[1])
    }

    @Test("one that has failed says why, and comes back to its place")
    func failedComesBackToItsPlace() throws {
        try enqueue([1, 1])
        let before = try store.read { try $0.queued() }
        #expect(try store.write { try $0.fail(message(1), reason: "too large") })
        #expect(try store.read { try $0.queued(message(1)) }?.state == .failed(reason: "too large"))
        #expect(try store.read { try $0.queued(message(2)) }?.state == .pending)
        #expect(try store.write { try $0.retry(message(1)) })
        #expect(try store.read { try $0.queued() } == before)
    }

    @Test("the request that was sent is kept for its repeats")
    func requestIsKeptForRepeats() throws {
        try enqueue([1])
        #expect(try store.write { try $0.setRequest([9, 9], of: message(1)) })
        #expect(try store.read { try $0.queued(message(1)) }?.request == [9, 9])
        try store.write { try $0.setRequest(nil, of: message(1)) }
        #expect(try store.read { try $0.queued(message(1)) }?.request == nil)
    }

    @Test("finishing takes it out of the queue and into the log at once")
    func finishingMovesIntoLog() throws {
        try enqueue([1, 1])
        let first = try store.write { try $0.finish(stored("sent", seq: 5, id: message(1))) }
        #expect(first.insertion == .inserted && first.wasQueued)
        #expect(try store.read { try $0.queued() }.map(\.id) == [message(2)])
        #expect(try store.texts() == ["sent"])
        // Its own event may have come first.
        try store.write { try $0.insert(stored("sent", seq: 6, id: message(2))) }
        let second = try store.write { try $0.finish(stored("sent", seq: 6, id: message(2))) }
        #expect(second.insertion == .known && second.wasQueued)
        #expect(try store.read { try $0.queued() }.isEmpty)
        // Another client of this device sent it.
        let other = try store.write { try $0.finish(stored("sent", seq: 7, id: message(3))) }
        #expect(other.insertion == .inserted && !other.wasQueued)
    }

    @Test("an id waits once, and not when it was sent")
    func idWaitsOnce() throws {
        try enqueue([1])
        #expect(try !store.write { try $0.enqueue(message(1), in: conversation(1), content: [7]) })
        try store.write { try $0.finish(stored("sent", seq: 5, id: message(1))) }
        #expect(try !store.write { try $0.enqueue(message(1), in: conversation(1), content: [7]) })
        #expect(try store.read { try $0.queued() }.isEmpty)
    }

    @Test("what is not in the queue is said to be so")
    func missingIsSaidToBeMissing() throws {
        try store.write { transaction throws in
            #expect(try !transaction.setRequest([1], of: message(1)))
            #expect(try !transaction.fail(message(1), reason: "none"))
            #expect(try !transaction.retry(message(1)))
            #expect(try !transaction.discard(message(1)))
        }
    }

    @Test("everything in the queue is there after a restart, in its order")
    func restartKeepsOrder() throws {
        try enqueue([1, 2, 1])
        try store.write { transaction throws in
            try transaction.setRequest([4], of: message(1))
            try transaction.fail(message(2), reason: "too large")
        }
        let before = try store.read { try $0.queued() }
        try store.close()
        let again = try directory.open()
        #expect(try again.read { try $0.queued() } == before)
        #expect(before.map(\.id) == [message(1), message(2), message(3)])
        #expect(try again.read { try $0.queued(in: conversation(2)) }.map(\.id) == [message(2)])
    }

    @Test("a damaged message is shown as such, and fails like any other")
    func damagedMessageIsShown() throws {
        try enqueue([1, 1])
        try store.execute("UPDATE queue SET sealed_content = zeroblob(60) WHERE position = 1")
        #expect(try store.read { try $0.queued() }.map(\.content) == [nil, [2]])
        #expect(try store.write { try $0.fail(message(1), reason: "damaged") })
        #expect(try store.read { try $0.queued(message(1)) }?.state == .failed(reason: "damaged"))
    }
}
