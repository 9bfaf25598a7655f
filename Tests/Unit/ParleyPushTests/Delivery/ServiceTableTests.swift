import ParleyProtocol
import TestNames
import Testing

@testable import ParleyPush

@Suite("What is under way to each service")
struct ServiceTableTests {
    private static let start = ContinuousClock.now
    private static let limits = PushLimits(perProvider: 8, perOrigin: 2, origins: 16)

    @Test("an origin has its limit, and the others wait")
    func originsLimit() throws {
        var table = ServiceTable(limits: Self.limits)
        let all = try (0..<12).map { delivery(to: try webhook("https://a.example.com/\($0)"), number: $0) }
        let admissions = all.map { delivery in table.admit(delivery, at: Self.start) }
        #expect(admissions[..<2] == [.send, .send])
        #expect(admissions[2..<10].allSatisfy { $0 == .wait })
        #expect(
            admissions[10...] == [.notTried(after: ServiceTable.whileFull), .notTried(after: ServiceTable.whileFull)])
        let other = table.admit(delivery(to: try webhook("https://b.example.com/")), at: Self.start)
        #expect(other == .send)
        let released = table.finish(all[0], .works, at: Self.start, jitter: 1)
        #expect(released == .init(send: [all[2]]))
        let waiting = table.removeWaiting()
        #expect(waiting == Array(all[3..<10]))
        let last = table.finish(all[1], .works, at: Self.start, jitter: 1)
        #expect(last == .init())
    }

    @Test(
        "of an origin that fails, answers late or has a name that is not found only as many wait as are under way",
        arguments: [
            (.fails, .zero, 1), (.works, .milliseconds(9900), 1), (.unknown, .seconds(3), 9),
        ] as [(ServiceHealth, Duration, Int)])
    func doubtful(health: ServiceHealth, took: Duration, times: Int) throws {
        var table = ServiceTable(limits: Self.limits)
        let all = try (0..<17).map { delivery(to: try webhook("https://a.example.com/"), number: $0) }
        for one in all[..<times] {
            let admission = table.admit(one, at: Self.start)
            #expect(admission == .send)
            _ = table.finish(one, health, took: took, at: Self.start, jitter: 1)
        }
        let rest = Array(all[times...])
        let admissions = rest[..<5].map { delivery in table.admit(delivery, at: Self.start) }
        #expect(admissions == [.send, .send, .wait, .wait, .notTried(after: ServiceTable.whileFull)])
        let other = table.admit(delivery(to: try webhook("https://b.example.com/")), at: Self.start)
        #expect(other == .send)
        _ = table.finish(rest[0], .works, took: .milliseconds(100), at: Self.start, jitter: 1)
        let next = rest[5...].map { delivery in table.admit(delivery, at: Self.start) }
        #expect(next.prefix(3) == [.wait, .wait, .wait])
    }

    @Test("what waits for a service that fails is given back")
    func waitsServiceFailsGiven() throws {
        var table = ServiceTable(limits: Self.limits)
        let target = try webhook("https://a.example.com/")
        for number in 0..<4 {
            _ = table.admit(delivery(to: target, number: UInt64(number)), at: Self.start)
            _ = table.finish(delivery(to: target, number: UInt64(number)), .fails, at: Self.start, jitter: 1)
        }
        let four = (10..<14).map { delivery(to: target, number: $0) }
        let admissions = four.map { delivery in table.admit(delivery, at: Self.start) }
        #expect(admissions == [.send, .send, .wait, .wait])
        let released = table.finish(four[0], .fails, at: Self.start, jitter: 1)
        #expect(
            released
                == .init(notTried: four[2...].map { .init(delivery: $0, after: CircuitBreaker.shortest) }))
        let next = table.admit(delivery(to: target, number: 20), at: Self.start + .seconds(1))
        #expect(next == .notTried(after: .seconds(4)))
    }

    @Test("Apple and Google have breakers of their own")
    func appleGoogleHaveBreakers() {
        var table = ServiceTable(limits: Self.limits)
        let apns = delivery(to: .apns(token: "00", topic: "a")), fcm = delivery(to: .fcm(token: "x"))
        for _ in 0..<5 {
            _ = table.admit(apns, at: Self.start)
            _ = table.finish(apns, .fails, at: Self.start, jitter: 1)
        }
        let (first, second) = (table.admit(apns, at: Self.start), table.admit(fcm, at: Self.start))
        #expect(first == .notTried(after: .seconds(5)))
        #expect(second == .send)
    }

    @Test("origins are forgotten, but not those in use")
    func originsForgottenThoseUse() throws {
        var table = ServiceTable(limits: Self.limits)
        let used = delivery(to: try webhook("https://used.example.com/"))
        _ = table.admit(used, at: Self.start)
        _ = table.admit(used, at: Self.start)
        for number in 0..<1000 {
            let other = delivery(to: try webhook("https://o\(number).example.com/"))
            _ = table.admit(other, at: Self.start)
            _ = table.finish(other, .works, at: Self.start, jitter: 1)
        }
        #expect(table.count <= 16 + 1)
        let third = table.admit(used, at: Self.start)
        #expect(third == .wait)
    }
}
