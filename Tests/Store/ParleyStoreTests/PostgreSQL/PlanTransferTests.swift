import ParleyPostgreSQL
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyStore

/// A file has one plan that is not carried out, by its number; on a server there are announcements of any number of
/// processes, each until it is published.
@Suite(
    "A decision about pushes that moves between its two commits",
    .enabled(if: PostgreSQL.isExpected, "PostgreSQL is not installed"), .timeLimit(.minutes(20)))
struct PlanTransferTests {
    private let site: TransferSite

    init() throws {
        site = try TransferSite()
        try site.fill()
    }

    private func open(_ name: String) throws -> PushStore { try PushStore(path: "\(site.directory.path)/\(name).db") }

    private func announcement(_ kind: PushPlanRecord.Announcement) -> PushAnnouncementRecord {
        PushAnnouncementRecord(id: .random(), user: "paula", kind: kind, createdAt: at(0))
    }

    private func lastPosition(_ store: Store) throws -> StreamPosition {
        try StreamPosition(#require(store.text("SELECT max(position) FROM records").flatMap { Int($0) }))
    }

    @Test("what processes have left on the server is the first plan of the file, carried out once", arguments: 0...1)
    func fromServer(starts: Int) throws {
        try site.export()
        let server = try site.openSource()
        let last = try lastPosition(server)
        let message = try server.read { try $0.pushEvents.message(at: last) }
        let conversation = try #require(message).conversation
        let left = [
            announcement(.digest), announcement(.message(last)), announcement(.clearance(conversation, seq: 3)),
        ]
        // Of two processes, which have ended; and a start of another, which may have taken them over.
        let shared = try #require(PushStore(in: server))
        for part in [left.prefix(1), left.dropFirst()] {
            try shared.write { transaction in
                try transaction.plans.set(
                    PushPlanRecord(number: 1, decidedThrough: nil, announcements: Array(part)))
                try transaction.endLease()
            }
        }
        for _ in 0..<starts { #expect(try shared.write { try $0.plans.takeOver() }?.announcements.count == 3) }
        try server.close()
        try site.importBack()

        let (back, pushes) = (try Store(path: site.back), try open("back-push"))
        // The second of them finds what the first has linked.
        for name in ["first", "second"] { try pushes.link(to: back, name: name) }
        let plan = try #require(try pushes.read { try $0.plans.last() })
        #expect(plan.number == 1 && plan.decidedThrough == nil)
        #expect(Set(plan.announcements.map(\.id)) == Set(left.map(\.id)))
        let moved = try lastPosition(back)
        #expect(moved != last)
        #expect(plan.announcements.contains { $0.id == left[1].id && $0.kind == .message(moved) })
        #expect(try back.read { try $0.pushEvents.message(at: moved) }?.record.id == message?.record.id)
        #expect(plan.announcements.contains(left[2]))
        func carryOut() throws -> Set<NotificationID> {
            try back.write { try $0.pushLink.carryOut(1, through: nil, left.map(\.id)) }
        }
        #expect(try carryOut() == Set(left.map(\.id)))
        #expect(try carryOut() == [])
        #expect(try pushes.openPlans(of: back) == 0)
    }

    @Test(
        "of a file's last plan the server has what is not carried out, and nothing decides it again", arguments: 0...1)
    func fromFile(carriedOut: Int) throws {
        let (store, file) = (try Store(path: site.file), try open("push"))
        try file.link(to: store, name: "first")
        try store.write { transaction in
            for subject in [PushEvent.Subject.quietHours(of: "paula"), .quietHours(of: "quinn")] {
                try transaction.pushEvents.insert([
                    PushEvent(position: .start, subject: subject, createdAt: at(0), steadyAt: at(0))
                ])
            }
        }
        let events = try store.read { try $0.pushEvents.events(limit: 1000) }
        let decided = try #require(events.dropLast().last?.key)
        let digest = announcement(.digest)
        try file.write {
            try $0.plans.set(PushPlanRecord(number: 1, decidedThrough: decided, announcements: [digest]))
        }
        if carriedOut > 0 {
            _ = try store.write { try $0.pushLink.carryOut(1, through: decided, [digest.id]) }
        }
        try store.close()
        try site.export(pushes: file)

        let server = try site.open("main")
        let shared = try #require(PushStore(in: server))
        try shared.link(to: server, name: "second")
        #expect(try server.read { try $0.pushEvents.events(limit: 1000) }.map(\.subject) == [.quietHours(of: "quinn")])
        let left = try shared.write { try $0.plans.takeOver() }
        #expect(left?.announcements == (carriedOut > 0 ? nil : [digest]))
        let published = try server.write { try $0.pushLink.carryOut(1, through: nil, [digest.id]) }
        #expect(published == (carriedOut > 0 ? [] : [digest.id]))
        #expect(try shared.write { try $0.plans.takeOver() } == nil)
        try server.close()
    }
}
