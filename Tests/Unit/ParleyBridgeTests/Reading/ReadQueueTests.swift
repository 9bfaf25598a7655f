import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge

@Suite("Reads in turns")
struct ReadQueueTests {
    private let phone = device("alice", "phone")
    private let tablet = device("alice", "tablet")

    /// Takes all that waits, one after another, by one thread.
    private func drain(_ queue: inout ReadQueue<String>) -> [String] {
        var taken: [String] = []
        while let (user, element) = queue.next() {
            taken.append(element)
            queue.finish(user)
        }
        return taken
    }

    private func next<Element>(_ queue: inout ReadQueue<Element>) -> Element? { queue.next()?.element }

    @Test("users take turns, and devices of a user, each in the order of its own reads")
    func turns() {
        var queue = ReadQueue<String>(limit: 100, threads: 2)
        for number in 1...4 { #expect(queue.append("p\(number)", of: phone) == []) }
        for number in 1...2 { #expect(queue.append("t\(number)", of: tablet) == []) }
        for number in 1...2 { #expect(queue.append("b\(number)", of: device("bob", "phone")) == []) }
        #expect(drain(&queue) == ["p1", "b1", "t1", "b2", "p2", "t2", "p3", "p4"])
        #expect(queue.isEmpty)
    }

    @Test("who has had least of the time is next, whether their reads were many or dear")
    func time() {
        var queue = ReadQueue<String>(limit: 100, threads: 1)
        for number in 1...3 { #expect(queue.append("p\(number)", of: phone) == []) }
        for number in 1...5 { #expect(queue.append("b\(number)", of: device("bob", "phone")) == []) }
        var served: [String] = []
        while let (user, element) = queue.next() {
            served.append(element)
            queue.finish(user, took: .milliseconds(user == "alice" ? 6 : 2))
            // Who comes later waits for nobody's debt, and has no credit.
            if element == "p2" { #expect(queue.append("c1", of: device("carol", "phone")) == []) }
        }
        #expect(served == ["p1", "b1", "b2", "b3", "p2", "b4", "c1", "b5", "p3"])
    }

    @Test("one user never has both of two threads, whatever waits", arguments: [1, 2, 3, 4])
    func threads(threads: Int) {
        var queue = ReadQueue<Int>(limit: 1000, threads: threads)
        for number in 0..<500 { #expect(queue.append(number, of: phone) == []) }
        let share = max(1, threads - 1)
        for number in 0..<share { #expect(next(&queue) == number) }
        #expect(next(&queue) == nil)
        #expect(queue.append(-1, of: device("bob", "phone")) == [])
        #expect(next(&queue) == -1)
        queue.finish(phone.user)
        #expect(next(&queue) == share)
    }

    @Test("where there is no room, whoever has most waiting loses their last to who has less")
    func displacing() {
        var queue = ReadQueue<String>(limit: 4, threads: 2)
        for number in 1...3 { #expect(queue.append("p\(number)", of: phone) == []) }
        #expect(queue.append("t1", of: tablet) == [])
        #expect(queue.append("t2", of: tablet) == ["t2"])
        #expect(queue.append("b1", of: device("bob", "phone")) == ["p3"])
        #expect(queue.append("b2", of: device("bob", "phone")) == ["p2"])
        #expect(queue.append("b3", of: device("bob", "phone")) == ["b3"])
        let displaced = queue.append("c1", of: device("carol", "phone"))
        #expect(displaced.count == 1)
        #expect(drain(&queue).count == 4)
    }

    @Test("what is large takes the room of several")
    func weights() {
        var queue = ReadQueue<String>(limit: 32, threads: 2)
        #expect(queue.append("large", of: phone, weight: 17) == [])
        #expect(queue.append("larger", of: phone, weight: 17) == ["larger"])
        #expect(queue.append("small", of: device("bob", "phone"), weight: 15) == [])
        #expect(queue.append("large too", of: phone, weight: 17) == ["large too"])
        #expect(drain(&queue) == ["large", "small"])
    }

    @Test("nothing is lost, said twice or out of a device's order, whatever comes", .seeded, arguments: 0..<20)
    func property(stream: Int) throws {
        var generator = Seeded(stream: UInt64(stream))
        let devices = ["alice", "bob", "carol"].flatMap { user in ["a", "b"].map { device(user, $0) } }
        var queue = ReadQueue<(device: DeviceAddress, number: Int)>(limit: 20, threads: 2)
        var (given, gone): (Int, Int) = (0, 0)
        var last: [DeviceAddress: Int] = [:]
        var underway: [UserID] = []
        func check(_ taken: (user: UserID, element: (device: DeviceAddress, number: Int))) {
            #expect(taken.user == taken.element.device.user)
            #expect(last[taken.element.device, default: -1] < taken.element.number)
            last[taken.element.device] = taken.element.number
            gone += 1
        }
        for number in 0..<2_000 {
            switch generator.number(0...3) {
            case 0, 1:
                let device = try generator.element(devices)
                gone += queue.append((device, number), of: device, weight: generator.number(1...3)).count
                given += 1
            case 2:
                guard underway.count < 2, let taken = queue.next() else { continue }
                #expect(!underway.contains(taken.user))
                underway.append(taken.user)
                check(taken)
            default:
                guard !underway.isEmpty else { continue }
                queue.finish(underway.removeFirst())
            }
        }
        for user in underway { queue.finish(user) }
        while let taken = queue.next() {
            check(taken)
            queue.finish(taken.user)
        }
        #expect(queue.isEmpty && given == gone)
    }
}
