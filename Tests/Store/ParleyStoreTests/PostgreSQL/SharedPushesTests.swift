import Dispatch
import ParleyPostgreSQL
import ParleyProtocol
import PostgreSQL
import PostgreSQLServer
import Synchronization
import TestNames
import TestSupport
import Testing

@testable import ParleyStore

/// Cells that send the pushes of one database, each as a process of its own would.
@Suite(
    "Pushes that cells share", .enabled(if: PostgreSQL.isExpected, "PostgreSQL is not installed"),
    .timeLimit(.minutes(20)))
struct SharedPushesTests {
    private let database: TestDatabase

    init() throws { database = try PostgreSQLServer.shared().database() }

    /// A process of a cell.
    private struct Cell {
        let store: Store
        let pushes: PushStore

        init(_ name: String, _ database: TestDatabase) throws {
            let address = try StoreAddress(uri: database.uri)
            store = Store(try PostgreSQLStore(address, cell: #require(CellName(name)), durability: .waived))
            pushes = try #require(PushStore(in: store))
        }

        /// Begins what is due.
        func begin(limit: Int = 100, at now: Timestamp = at(0)) throws -> [NotificationID] {
            try pushes.write { transaction in
                let due = try transaction.facts.jobs.due(for: .fcm, at: now, limit: limit).jobs.map(\.id)
                try transaction.jobs.begin(due)
                return due
            }
        }

        /// Takes over what is nobody's.
        func resume(at now: Timestamp = at(0)) throws -> Int { try pushes.write { try $0.jobs.resume(now: now) } }

        func held(_ ids: [NotificationID]) throws -> Set<NotificationID> {
            try pushes.write { try $0.jobs.held(among: ids) }
        }
    }

    private func cell(_ name: String) throws -> Cell { try Cell(name, database) }

    private func execute(_ statement: String) throws {
        let connection = try database.connect()
        defer { connection.close() }
        try connection.execute(statement)
    }

    /// As if the cells had said nothing for so long.
    private func endLeases() throws { try execute("UPDATE parley.push_leases SET until = 0") }

    private let conversation = ConversationKey(value: 1)

    private func job(to name: String, _ position: Int = 1) -> PushJob {
        pushJob(to: device(UserID(validated: name), "phone"), in: conversation, position: position)
    }

    @Test("what is due is begun by one, however many cells look for it at once")
    func each() throws {
        let cells = try ["one", "two", "three"].map(cell)
        let jobs = (0..<200).map { job(to: "user\($0)") }
        _ = try cells[0].pushes.write { try $0.jobs.insert(jobs, now: at(0)) }
        let begun = Mutex<[[NotificationID]]>([[], [], []])
        DispatchQueue.concurrentPerform(iterations: cells.count) { number in
            do {
                while true {
                    let ids = try cells[number].begin(limit: 3)
                    guard !ids.isEmpty else { return }
                    begun.withLock { $0[number] += ids }
                }
            } catch {
                Issue.record(error)
            }
        }
        let taken = begun.withLock { $0 }
        #expect(taken.joined().count == 200)
        #expect(Set(taken.joined()) == Set(jobs.map(\.id)))
        for (cell, ids) in zip(cells, taken) {
            #expect(try cell.held(jobs.map(\.id)) == Set(ids))
            #expect(try cell.resume() == 0)
        }
    }

    @Test("what a lost cell was sending goes out again by another, and what the first says of it later counts no more")
    func lost() throws {
        let (one, two) = (try cell("one"), try cell("two"))
        let jobs = [job(to: "alice"), job(to: "bob")]
        _ = try one.pushes.write { transaction in
            try transaction.traces.insert(
                jobs.map { job in
                    PushTrace(
                        id: job.id, user: job.device.user, device: job.device.device, type: .message,
                        decision: "notify", decidedAt: at(0))
                }, removal: at(1000))
            return try transaction.jobs.insert(jobs, now: at(0))
        }
        let ids = Set(try one.begin())
        #expect(ids == Set(jobs.map(\.id)))
        #expect(try two.resume() == 0 && two.begin().isEmpty)
        try endLeases()
        #expect(try two.resume() == 2)
        #expect(try Set(two.begin()) == ids)
        #expect(try one.held(Array(ids)) == [])
        #expect(try two.held(Array(ids)) == ids)
        let again = try two.pushes.read { try ($0.jobs.jobs(ids), $0.traces.trace(of: jobs[0].id)) }
        #expect(again.0.values.allSatisfy { $0.attempts == 2 && $0.repeats == 1 })
        #expect(again.1?.repeats == 1)
    }

    @Test("a process takes over at once what the one before it in its cell was sending, which writes nothing any more")
    func replaced() throws {
        let (first, other) = (try cell("one"), try cell("two"))
        let jobs = [job(to: "alice"), job(to: "bob")]
        _ = try first.pushes.write { try $0.jobs.insert(jobs, now: at(0)) }
        let (ofFirst, ofOther) = (try first.begin(limit: 1), try other.begin(limit: 1))
        let second = try cell("one")
        try second.pushes.write { try $0.endEarlierLeases() }
        #expect(try second.resume() == 1)
        #expect(try second.begin() == ofFirst)
        #expect {
            try first.pushes.write { try $0.jobs.finish(ofFirst[0], now: at(0)) }
        } throws: { error in
            if case StoreError.superseded = error { true } else { false }
        }
        #expect(try second.held(jobs.map(\.id)) == Set(ofFirst))
        #expect(try other.held(jobs.map(\.id)) == Set(ofOther))
    }

    @Test("a cell that ends leaves to others what was not sent")
    func ended() throws {
        let (one, two) = (try cell("one"), try cell("two"))
        let jobs = [job(to: "alice"), job(to: "bob")]
        _ = try one.pushes.write { try $0.jobs.insert(jobs, now: at(0)) }
        let (ofOne, ofTwo) = (try one.begin(limit: 1), try two.begin(limit: 1))
        try one.pushes.write { transaction in
            try transaction.jobs.release(now: at(0))
            try transaction.endLease()
        }
        #expect(try two.begin() == ofOne)
        #expect(try two.held(jobs.map(\.id)) == Set(ofOne + ofTwo))
        #expect(try two.pushes.read { try $0.jobs.jobs(ofOne)[ofOne[0]]?.attempts } == 1)
    }

    @Test("those of a device go out as they have come, whatever cells they are of")
    func inLine() throws {
        let (one, two) = (try cell("one"), try cell("two"))
        let (first, second) = (job(to: "alice", 2 << 48), job(to: "alice", 1 << 48))
        _ = try two.pushes.write { try $0.jobs.insert([first], now: at(0)) }
        _ = try one.pushes.write { try $0.jobs.insert([second, job(to: "alice", 3 << 48)], now: at(0)) }
        #expect(try one.begin() == [first.id])
        #expect(try two.begin() == [])
        try one.pushes.write { try $0.jobs.finish(first.id, now: at(0)) }
        #expect(try two.begin() == [second.id])
    }

    /// An event of a test of a device, as a cell writes it.
    private func writeEvent(_ cell: Cell) throws {
        try cell.store.write { transaction in
            try transaction.pushEvents.insert([
                PushEvent(
                    position: transaction.database.stream.start + 1,
                    subject: .test(.random(), to: device("bob", "phone")),
                    createdAt: at(0), steadyAt: at(0))
            ])
        }
    }

    private func decide(_ events: [PushEvent], _ cell: Cell, _ announcements: [PushAnnouncementRecord] = []) throws {
        try cell.pushes.write { transaction in
            try transaction.plans.set(
                PushPlanRecord(
                    number: 1, decidedThrough: nil, decided: events.compactMap(\.key), announcements: announcements))
        }
    }

    @Test("an event is decided by its cell, or by another when that is gone; by one of them, or not at all")
    func decided() throws {
        let (one, two) = (try cell("one"), try cell("two"))
        try writeEvent(one)
        let streams = [Stream(cell: 1), Stream(cell: 2)]
        let own = try one.store.read { try $0.pushEvents.events(limit: 9) }
        #expect(own.count == 1)
        #expect(try two.store.read { try $0.pushEvents.events(limit: 9) } == [])
        #expect(try two.store.read { try $0.pushEvents.events(besides: streams, limit: 9) } == [])
        let left = try two.store.read { try $0.pushEvents.events(besides: [streams[1]], limit: 9) }
        #expect(left == own)
        let digest = PushAnnouncementRecord(id: .random(), user: "bob", kind: .digest, createdAt: at(0))
        try decide(left, two)
        #expect {
            try decide(own, one, [digest])
        } throws: { error in
            if case StoreError.conflict = error { true } else { false }
        }
        #expect(try one.pushes.write { try $0.plans.takeOver() } == nil)
    }

    @Test("what was decided is published once: by its cell, or by whoever finds it when that is gone")
    func published() throws {
        let (one, two) = (try cell("one"), try cell("two"))
        let digest = PushAnnouncementRecord(id: .random(), user: "bob", kind: .digest, createdAt: at(0))
        try decide([], one, [digest])
        #expect(try two.pushes.write { try $0.plans.takeOver() } == nil)
        #expect(try one.pushes.write { try $0.plans.takeOver() }?.announcements == [digest])
        try endLeases()
        #expect(try two.pushes.write { try $0.plans.takeOver() }?.announcements == [digest])
        func carryOut(_ cell: Cell) throws -> Set<NotificationID> {
            try cell.store.write { try $0.pushLink.carryOut(1, through: nil, [digest.id]) }
        }
        #expect(try carryOut(two) == [digest.id])
        #expect(try carryOut(one) == [])
        #expect(try one.pushes.write { try $0.plans.takeOver() } == nil)
    }

    @Test("digests of the same quiet hours are sent by one")
    func digests() throws {
        let (one, two) = (try cell("one"), try cell("two"))
        try one.pushes.write { try $0.displays.hold([PushHold(user: "bob", until: at(0))]) }
        try two.pushes.write { try $0.displays.removeHolds(of: ["bob"]) }
        #expect(throws: StoreError.self) { try one.pushes.write { try $0.displays.removeHolds(of: ["bob"]) } }
    }

    @Test("what is read at one cell is taken away where another has notified of it, and nowhere else")
    func takenAway() throws {
        let (one, two) = (try cell("one"), try cell("two"))
        let id = ConversationID.random()
        let key = try one.store.write { transaction in
            try transaction.insertPeople(["alice", "bob", "carol"])
            return try transaction.insertConversation(["alice", "bob"], id: id).key
        }
        func subjects(_ subjects: [PushEvent.Subject]) throws -> [PushEvent.Subject] {
            try two.store.write { transaction in
                try transaction.pushEvents.insert(
                    subjects.map { PushEvent(position: .start, subject: $0, createdAt: at(0), steadyAt: at(0)) })
                let events = try transaction.facts.pushEvents.events(limit: 9)
                try transaction.pushEvents.remove(events.compactMap(\.key))
                return events.map(\.subject)
            }
        }
        let (ofBob, ofCarol) = (
            PushEvent.Subject.clearing(key, seq: 1, of: "bob", besides: nil),
            PushEvent.Subject.clearing(key, seq: 1, of: "carol", besides: "phone")
        )
        let removal = PushEvent.Subject.removal(key, seq: 1)
        #expect(try subjects([ofBob, removal]) == [])
        try one.pushes.write { try $0.displays.set([(user: "bob", conversation: key, seq: 1)]) }
        #expect(
            try subjects([ofBob, ofCarol, removal, .quietHours(of: "carol")]) == [
                .quietHours(of: "carol"), ofBob, removal,
            ])
    }

    @Test("what a cell of an earlier version has in its file is moved once, with the plan that nobody has carried out")
    func earlierVersion() throws {
        let directory = try TemporaryDirectory()
        let file = try PushStore(path: directory.path + "/push.db")
        let one = try cell("one")
        try writeEvent(one)
        try writeEvent(one)
        let events = try one.store.read { try $0.pushEvents.events(limit: 9) }
        let digest = PushAnnouncementRecord(id: .random(), user: "bob", kind: .digest, createdAt: at(0))
        let jobs = [job(to: "alice", 2), job(to: "alice", 1)]
        try file.write { transaction in
            try transaction.plans.setName("name")
            _ = try transaction.jobs.insert(jobs, now: at(0))
            try transaction.displays.hold([PushHold(user: "bob", until: at(5))])
            try transaction.plans.set(
                PushPlanRecord(number: 1, decidedThrough: events[0].key, announcements: [digest]))
        }
        try execute("UPDATE parley.push_link SET name = 'another'")
        try one.pushes.takeOver(file, of: one.store)
        #expect(try one.pushes.read { try $0.jobs.jobs(jobs.map(\.id)) }.isEmpty)
        try execute("UPDATE parley.push_link SET name = 'name'")
        for _ in 0..<2 {
            try one.pushes.takeOver(file, of: one.store)
            #expect(try one.pushes.read { try $0.jobs.jobs(jobs.map(\.id)).count } == 2)
            #expect(try one.pushes.read { try $0.displays.nextHoldEnd() } == at(5))
            #expect(try one.store.read { try $0.pushEvents.events(limit: 9) } == [events[1]])
        }
        #expect(try one.pushes.write { try $0.plans.takeOver() }?.announcements == [digest])
    }
}
