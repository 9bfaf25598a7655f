import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("Requests that wait for their replies")
struct RequestBookTests {
    private let start = ContinuousClock.now
    private var book = RequestBook(firstRepeat: .seconds(2))

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    private func request(deadline seconds: Int = 60, wantsReply: Bool = true) throws -> PendingRequest {
        PendingRequest(
            key: .random(), operation: try #require(Operation(area: "profile", verb: "get")), payload: [],
            wantsReply: wantsReply, deadline: at(seconds))
    }

    private func packet(_ number: UInt32) -> PacketNumber { PacketNumber(rawValue: number) }

    @Test("requests are sent in the order in which they were made")
    mutating func order() throws {
        let requests = [try request(), try request(), try request()]
        for request in requests { _ = book.add(request, now: start) }
        for (number, request) in requests.enumerated() {
            #expect(book.due(now: start)?.key == request.key)
            book.markSent(request.key, as: packet(UInt32(number + 1)), now: start)
        }
        #expect(book.due(now: start) == nil)
    }

    @Test("a request without a reply is repeated after pauses that double")
    mutating func repeats() throws {
        let request = try request()
        _ = book.add(request, now: start)
        var sent: [Int] = []
        for second in 0..<40 where book.due(now: at(second)) != nil {
            sent.append(second)
            book.markSent(request.key, as: packet(UInt32(second + 1)), now: at(second))
            _ = book.handleAcknowledgement(packet(UInt32(second + 1)), .accepted)
        }
        #expect(sent == [0, 2, 6, 14, 30])
    }

    @Test("an acknowledgement ends only a request that gets no reply")
    mutating func acknowledgements() throws {
        let silent = try request(wantsReply: false)
        let asking = try request()
        for (number, request) in [silent, asking].enumerated() {
            _ = book.add(request, now: start)
            book.markSent(request.key, as: packet(UInt32(number + 1)), now: start)
        }
        let outcomes = [
            book.handleAcknowledgement(packet(1), .accepted),
            book.handleAcknowledgement(packet(2), .accepted),
        ]
        #expect(outcomes == [.done(silent.key), nil])
        let removals = [book.remove(asking.key), book.remove(asking.key)]
        #expect(removals == [true, false])
        #expect(book.isEmpty)
    }

    @Test("what the broker refuses is forbidden; a full queue is not a refusal")
    mutating func refusals() throws {
        let request = try request()
        _ = book.add(request, now: start)
        book.markSent(request.key, as: packet(1), now: start)
        let full = book.handleAcknowledgement(packet(1), .noRoom)
        #expect(full == nil)
        #expect(book.due(now: at(2))?.key == request.key)
        book.markSent(request.key, as: packet(2), now: at(2))
        guard case .refused(request.key, let rejection)? = book.handleAcknowledgement(packet(2), .refused) else {
            throw UnexpectedError("the refusal was not taken up")
        }
        #expect(rejection.code == .forbidden)
        #expect(book.isEmpty)
    }

    @Test("after a lost connection everything is sent again, in the old order")
    mutating func reconnection() throws {
        let requests = [try request(), try request()]
        for request in requests { _ = book.add(request, now: start) }
        for (number, request) in requests.enumerated() {
            book.markSent(request.key, as: packet(UInt32(number + 1)), now: start)
        }
        book.markDisconnected(now: at(1))
        #expect(book.due(now: at(1))?.key == requests[0].key)
        let late = book.handleAcknowledgement(packet(1), .refused)
        #expect(late == nil, "of the connection before")
        book.markSent(requests[0].key, as: packet(1), now: at(1))
        #expect(book.due(now: at(1))?.key == requests[1].key)
    }

    @Test("a request whose time is over is given up")
    mutating func expiry() throws {
        let short = try request(deadline: 5)
        let long = try request(deadline: 50)
        for request in [short, long] { _ = book.add(request, now: start) }
        #expect(book.nextDeadline == at(5))
        let expired = [book.expire(now: at(4)), book.expire(now: at(5))]
        #expect(expired == [[], [short.key]])
        #expect(book.nextDeadline == at(50))
    }

    @Test("only so many wait at once")
    mutating func capacity() throws {
        var taken: [Bool] = []
        for _ in 0...RequestBook.capacity { taken.append(book.add(try request(), now: start)) }
        #expect(taken == Array(repeating: true, count: RequestBook.capacity) + [false])
    }
}
