import ParleyProtocol
import ParleyPush
import ParleyRules
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// People who are friends and have registered phones, and a step of the thread of pushes at a time, without a push
/// service: what would be sent, and answers as the test has them.
struct PushWorld {
    let social: SocialWorld
    var test: TestWriter { social.test }
    var people: ConnectedPeople { test.writer.push.people }

    /// alice, bob and carol are friends; bob's phone is registered, and only alice is connected.
    init(_ change: (inout Settings) -> Void = { _ in }) throws {
        social = try SocialWorld(privacy: .anyone, change)
        people.replace(with: ["alice"], unknownSince: at(0))
        try social.create(by: "alice", with: "bob")
        try register("bob", "phone")
    }

    func register(
        _ user: UserID, _ device: DeviceID, endpoint: String? = nil, now: Timestamp = at(0)
    ) throws {
        let endpoint = endpoint ?? "https://example.com/\(user)/\(device)"
        try perform(
            RegisterPush.self, #"{"provider":"webhook","endpoint":"\#(endpoint)","secret":"0123456789abcdef"}"#,
            by: DeviceAddress(user: user, device: device), now: now)
    }

    /// A request that succeeds.
    func perform(
        _ kind: any Command.Type, _ json: String, by sender: DeviceAddress, now: Timestamp = at(0)
    ) throws {
        try perform(request(kind, json, from: sender), now: now)
    }

    func perform(_ request: IncomingCommand, now: Timestamp = at(0)) throws {
        #expect(try social.result(of: request, now: now).code == nil)
    }

    /// bob's phone is reached by a service at which a later message of a conversation takes the place of an earlier
    /// one.
    func registerWithFCM() throws {
        try perform(RegisterPush.self, #"{"provider":"fcm","token":"device:1"}"#, by: device("bob", "phone"))
    }

    /// What a step has done.
    struct Step {
        /// What is sent.
        let begun: [PushJob]
        let nextDue: Timestamp?
        let nextHoldEnd: Timestamp?
        /// `topic: type`, without what all topics begin with.
        let events: [String]
        let outgoing: Outgoing
    }

    /// Records outcomes, decides what has happened, and begins what is due; and has the writer carry out what follows.
    ///
    /// - Parameters:
    ///   - lastBadges: the numbers that devices were sent last.
    ///   - meanwhile: happens after the decision, before that is written.
    @discardableResult
    func step(
        now: Timestamp = at(0), outcomes: [PushOutcome] = [], dropped: [(job: PushJob, reason: String)] = [],
        room: Int = 100, lastBadges: [UserID: Int] = [:], meanwhile: () throws -> Void = {}
    ) throws -> Step {
        let ends = try write(now) { queue in
            try queue.drop(dropped)
            return try queue.record(outcomes)
        }
        var effects = Effects()
        if !ends.isEmpty {
            let result = try announce(PushAnnouncement(ends: ends), now: now, &effects)
            try write(now) { try $0.record(result.ends) }
        }
        let plan = try plan(now: now, lastBadges: lastBadges, meanwhile: meanwhile)
        let rooms = Dictionary(uniqueKeysWithValues: PushProvider.allCases.map { ($0, room) })
        let (planned, begun) = try write(now) { queue in
            (plan.isEmpty ? nil : try insert(plan, &queue), try queue.begin(rooms))
        }
        if let planned {
            displaying.remove(planned.hidden)
            let result = try announce(PushAnnouncement(plan: planned.announcement), now: now, &effects)
            #expect(result.plan == planned.announcement.number)
        }
        try test.countUnread(in: &effects.outgoing)
        let events = try effects.outgoing.events.map { event in
            "\(event.topic.dropFirst(Topic.prefix.utf8.count)): \(event.data["type"] as? String ?? event.event ?? "")"
        }
        return Step(
            begun: begun.jobs, nextDue: begun.nextDue, nextHoldEnd: begun.nextHoldEnd, events: events,
            outgoing: effects.outgoing)
    }

    /// What is decided of what has happened.
    ///
    /// - Parameters: as of `step`.
    func plan(
        now: Timestamp = at(0), departures: [ConnectedPeople.Departure]? = nil, lastBadges: [UserID: Int] = [:],
        meanwhile: () throws -> Void = {}
    ) throws -> PushPlan {
        var plan = PushPlan()
        let departures = departures ?? people.drainDepartures(limit: 100)
        try read { snapshot, pushes in
            let planner = PushPlanner(
                snapshot: snapshot, pushes: pushes, settings: test.writer.settings, people: people,
                sharesPushes: test.pushes.isShared, now: now, lastBadges: lastBadges)
            try planner.decide(snapshot.pushEvents.events(limit: 100), into: &plan)
            try planner.decide(departures, steps: 0, into: &plan)
            try planner.decide(pushes.displays.endedHolds(at: now, limit: 100), steady: now, into: &plan)
        }
        try meanwhile()
        try plan.removeStale(in: test.store, displaying: displaying)
        return plan
    }

    /// Writes a plan, as the thread of pushes does.
    func insert(_ plan: PushPlan, _ queue: inout PushQueue) throws -> PushQueue.Planned {
        var plan = plan
        try plan.removeStale(in: queue.transaction)
        return try queue.insert(plan)
    }

    /// A transaction of the database of pushes.
    @discardableResult
    func write<Result>(_ now: Timestamp = at(0), _ body: (inout PushQueue) throws -> Result) throws -> Result {
        try test.pushes.write(test.writer.settings, test.counters, now: now, steady: now, body)
    }

    private func read(_ body: (Snapshot, PushSnapshot) throws -> Void) throws {
        try test.store.read { snapshot in try test.pushes.read(beside: snapshot) { try body(snapshot, $0) } }
    }

    /// The writer carries out an announcement.
    func announce(
        _ announcement: PushAnnouncement, now: Timestamp = at(0), _ effects: inout Effects
    ) throws -> PushAnnouncement.Result {
        let announcements = test.writer.push.announcements
        announcements.submit(announcement)
        effects.append(test.writer.run(PushAnnouncementDuty.self, now: now))
        return try #require(announcements.takeResult())
    }

    /// Ends the process that was sending, and makes what it was sending due for the next one.
    ///
    /// - Returns: how many they were.
    func resumed(at now: Timestamp) throws -> Int {
        try test.pushes.write { try $0.endLease() }
        return try test.pushes.write { try $0.jobs.resume(now: now) }
    }

    /// How many events of a type the broker has not acknowledged.
    func unpublished(_ type: String) throws -> Int {
        try test.store.read { try $0.outbox.unpublished(after: .start, limit: 1000) }.count { event in
            if case .event(_, _, let payload, _, _) = event {
                String(decoding: payload, as: UTF8.self).contains(type)
            } else {
                false
            }
        }
    }

    private var displaying: DisplayingUsers { test.writer.push.displaying }

    /// One value of a query of the database of pushes, as text.
    func text(_ query: String) throws -> String? {
        try test.pushes.read { pushes throws in
            try pushes.database.row("SELECT CAST((\(query)) AS TEXT)".quotingUser)?.bytes(0).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
    }

    func execute(_ sql: String) throws { try test.pushes.write { try $0.database.run(sql.quotingUser) } }

    /// What would be sent of what has begun.
    func build(_ jobs: [PushJob], now: Timestamp = at(0)) throws -> (deliveries: [PushDelivery], dropped: [String]) {
        var (deliveries, dropped): ([PushDelivery], [String]) = ([], [])
        try read { snapshot, pushes in
            let builder = BuildDeliveries(
                snapshot: snapshot, pushes: pushes, settings: test.writer.settings, now: now)
            for built in try builder.build(jobs) {
                switch built {
                case .delivery(let delivery): deliveries.append(delivery)
                case .dropped(_, let reason): dropped.append(reason)
                }
            }
        }
        return (deliveries, dropped)
    }

    /// The outcomes of jobs that were all answered so.
    func outcomes(_ jobs: [PushJob], _ answer: PushAnswer) -> [PushOutcome] {
        jobs.map { PushOutcome(id: $0.id, registration: $0.registration, answer: answer) }
    }

    /// alice writes to bob.
    @discardableResult
    func write(
        id: MessageID = .random(), expiresIn: Int? = nil, isUrgent: Bool = false, now: Timestamp = at(0)
    ) throws -> MessageID {
        let message = SendMessage(
            id: id, conversation: try .direct(["alice", "bob"]), type: .text, suite: .naclBox,
            content: Array("a message of some length".utf8), nonce: [UInt8](repeating: 9, count: 24),
            expiresIn: expiresIn, isUrgent: isUrgent)
        try perform(request(SendMessage.self, String(decoding: message.payload(), as: UTF8.self)), now: now)
        return id
    }

    /// bob reads up to a message.
    func read(_ message: MessageID, on name: DeviceID = "laptop", now: Timestamp = at(0)) throws {
        try perform(MarkRead.self, try about(message), by: device("bob", name), now: now)
    }

    /// bob's phone acknowledges a message.
    func receive(_ message: MessageID, now: Timestamp = at(0)) throws {
        try perform(MarkDelivered.self, try about(message), by: device("bob", "phone"), now: now)
    }

    /// alice deletes a message.
    func delete(_ message: MessageID, now: Timestamp = at(0)) throws {
        try perform(
            DeleteMessage.self, try about(message, #""id":"\#(MessageID.random())","#), by: device("alice", "phone"),
            now: now)
    }

    private func about(_ message: MessageID, _ member: String = "") throws -> String {
        let conversation = try ConversationID.direct(["alice", "bob"])
        return #"{\#(member)"conversation_id":"\#(conversation)","message_id":"\#(message)"}"#
    }

    /// What is sent at once, which its devices take.
    func sent(now: Timestamp = at(0)) throws -> [PushNotification] {
        let begun = try step(now: now).begun
        let sent = try build(begun, now: now).deliveries.map(\.notification)
        try step(now: now, outcomes: outcomes(begun, .accepted(status: 200)))
        return sent
    }

    /// What traces say was decided of a message, by users and devices.
    func decisions(of message: MessageID) throws -> [String] {
        try test.pushes.read { snapshot throws in
            try snapshot.traces.traces(of: message, limit: 100).map {
                "\($0.user)\($0.device.map { "/\($0)" } ?? ""): \($0.decision)"
            }.sorted()
        }
    }

    func answers(of message: MessageID) throws -> [String] {
        try test.pushes.read { snapshot throws in
            try snapshot.traces.traces(of: message, limit: 100).compactMap { trace in
                trace.answer.map { "\($0) after \(trace.attempts), repeated \(trace.repeats)" }
            }
        }
    }
}
