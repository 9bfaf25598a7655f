import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@Suite("Who is connected, and what is told of it", .seeded)
struct ConnectedUsersTests {
    private static let second: Int64 = 1_000_000_000

    @Test("the first connection and the last end are news, those between are not")
    func firstAndLastConnectionAreNews() {
        var users = ConnectedUsers()
        users.connect("alice")
        #expect(users.drainNews(uptime: 0) == [.online("alice")])
        users.connect("alice")
        users.disconnect("alice")
        #expect(users.drainNews(uptime: Self.second).isEmpty)
        #expect(users.everyone == ["alice"])
        users.disconnect("alice")
        #expect(users.drainNews(uptime: Self.second) == [.offline("alice")])
        #expect(users.everyone.isEmpty)
    }

    @Test("who goes and comes back before anybody asks is no news, nor who only looks in")
    func shortAbsencesAreNoNews() {
        var users = ConnectedUsers()
        users.connect("alice")
        _ = users.drainNews(uptime: 0)
        users.disconnect("alice")
        users.connect("alice")
        users.connect("bob")
        users.disconnect("bob")
        #expect(users.drainNews(uptime: Self.second).isEmpty)
    }

    @Test("an end without a beginning changes nothing")
    func endWithoutBeginning() {
        var users = ConnectedUsers()
        users.disconnect("alice")
        #expect(users.drainNews(uptime: 0).isEmpty && users.everyone.isEmpty)
        users.connect("alice")
        #expect(users.drainNews(uptime: 0) == [.online("alice")])
    }

    @Test("who comes and goes 2,000 times a second is told of once a second, and what is true at the end")
    func flappingIsToldOnceASecond() {
        var users = ConnectedUsers()
        var reports: [PresenceReport] = []
        let step = Self.second / 4000
        for turn in 0..<Int64(20_000) {
            if turn % 2 == 0 { users.connect("alice") } else { users.disconnect("alice") }
            if turn == 100 { users.connect("bob") }
            reports += users.drainNews(uptime: turn * step)
        }
        #expect(reports.filter { $0 == .online("alice") || $0 == .offline("alice") }.count <= 6)
        #expect(reports.filter { $0 == .online("bob") }.count == 1)
        reports += users.drainNews(uptime: 10 * Self.second)
        #expect(reports.last { $0 != .online("bob") } == .offline("alice", ago: 5000))
    }

    @Test("whom everybody was told of are told of again only when that changes")
    func knownUsersAreNotRepeated() {
        var users = ConnectedUsers()
        users.connect("alice")
        #expect(users.drainEveryone() == ["alice"])
        #expect(users.drainNews(uptime: 0).isEmpty)
        users.disconnect("alice")
        #expect(users.drainNews(uptime: 0) == [.offline("alice")])
        users.connect("alice")
        #expect(users.drainEveryone() == ["alice"])
        #expect(users.drainNews(uptime: 2 * Self.second).isEmpty)
    }

    @Test("whatever comes in whatever order, what was told last becomes true", arguments: 0..<20)
    func histories(number: Int) throws {
        var generator = Seeded(stream: UInt64(700 + number))
        var users = ConnectedUsers()
        var counts: [UserID: Int] = [:]
        var told: Set<UserID> = []
        var toldAt: [UserID: Int64] = [:]
        var uptime: Int64 = 0
        for _ in 0..<2000 {
            let user = try generator.element(["alice", "bob", "carol"] as [UserID])
            if generator.chance(0.5) {
                users.connect(user)
                counts[user, default: 0] += 1
            } else if counts[user] ?? 0 > 0 {
                users.disconnect(user)
                counts[user, default: 0] -= 1
            }
            uptime += Int64(generator.number(0...400)) * 1_000_000
            if generator.chance(0.05) {
                told = Set(users.drainEveryone())
            } else {
                for report in users.drainNews(uptime: uptime) {
                    let (user, isThere): (UserID, Bool)
                    switch report {
                    case .online(let one): (user, isThere) = (one, true)
                    case .offline(let one, _): (user, isThere) = (one, false)
                    case .begin, .everyone, .end: throw UnexpectedReportError()
                    }
                    #expect(told.contains(user) != isThere)
                    #expect(toldAt[user].map { uptime - $0 >= Self.second } ?? true)
                    toldAt[user] = uptime
                    if isThere { told.insert(user) } else { told.remove(user) }
                }
            }
        }
        for report in users.drainNews(uptime: uptime + Self.second) {
            if case .online(let user) = report { told.insert(user) }
            if case .offline(let user, _) = report { told.remove(user) }
        }
        #expect(told == Set(counts.filter { $0.value > 0 }.keys))
    }

    private struct UnexpectedReportError: Error {}
}
