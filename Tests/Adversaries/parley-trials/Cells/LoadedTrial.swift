import Foundation
import GatewaySite
import ParleyProtocol
import Platform
import RepeatableRandom

/// Talkers in groups, with members at all cells, while something is done to cells or to their database again and again;
/// and what came of it.
final class LoadedTrial {
    let site: CellSite
    let load: CellLoad
    var random: SplitMix64
    private let groups: [Population.Group]
    private let seed: UInt64
    /// What was found after each disturbance, by the database alone.
    private var ledger = Ledger()
    private var answered: [ConversationID: [Ledger.Entry]] = [:]
    private var waits: [(wait: Int64, isNew: Bool)] = []
    /// The harm after which somebody has waited longest.
    private var slowest: (wait: Int64, what: String) = (0, "")
    private var unserved = 0
    private var rounds = 0
    private var further = Findings()

    private static let conversations = 8
    private static let members = 3
    /// After a disturbance that ends; then somebody has no answer.
    private static let serviceLimit = Duration.seconds(60)

    var people: Int { LoadedTrial.conversations * LoadedTrial.members }

    /// Starts cells and talkers.
    ///
    /// - Parameters:
    ///   - areApart: whether each group has a cell of its own, so that cells are not in each other's way.
    ///   - prepare: the tables, before anything runs.
    init(
        _ installation: Installation, _ reach: CellSite.Reach, seed: UInt64, stop: StopFlag, areApart: Bool = false,
        prepare: (CellDatabase) throws -> Void = { _ in }
    ) throws {
        self.seed = seed
        random = SplitMix64(seed: seed)
        var groups: [Population.Group] = []
        site = try CellSite(installation, reach) { database, store, tokens in
            groups = try Population.make(
                conversations: LoadedTrial.conversations, members: LoadedTrial.members, store: store, tokens: tokens)
            try prepare(database)
        }
        self.groups = groups
        load = CellLoad(groups, ports: areApart ? site.cells.map(\.port) : [site.door.port], seed: seed, stop: stop)
    }

    var conversations: [ConversationID] { groups.map(\.id) }

    /// How far it has come, in words.
    var progress: String {
        var found = ledger.findings
        found.add(further)
        let seconds = (Double(slowest.wait) / 1e9).formatted(2)
        return "\(load.counts.answered) answered, \(found.summary) found, longest wait \(seconds) s (\(slowest.what))"
    }

    /// A random number of milliseconds.
    func pause(_ milliseconds: ClosedRange<Int>) { usleep(UInt32(Int.random(in: milliseconds, using: &random)) * 1000) }

    /// Waits until so many more messages are answered.
    func awaitAnswers(_ count: Int) throws {
        let end = load.counts.answered + count
        try site.wait(for: "answers") { load.counts.answered >= end }
    }

    /// Does something, and waits until everybody was served since; then looks into the database.
    ///
    /// - Parameters:
    ///   - what: the harm, in words.
    ///   - rereads: whether all is read again, and not only what is new.
    ///   - harm: is what service is counted from. It returns what ends it, which may take its time.
    func disturb(_ what: String, rereads: Bool = false, _ harm: () throws -> (() throws -> Void)?) throws {
        rounds += 1
        let begin = MonotonicTime.now
        let end = try harm()
        load.recordDisturbance(at: begin)
        try end?()
        let served = try awaitService()
        waits += served
        unserved += people - served.count
        let longest = served.map(\.wait).max() ?? 0
        if longest > slowest.wait { slowest = (longest, what) }
        try look(rereads: rereads)
    }

    /// Starts meanwhile what has ended by itself, as those do who keep programs up.
    private func awaitService() throws -> [(wait: Int64, isNew: Bool)] {
        let deadline = ContinuousClock.now + LoadedTrial.serviceLimit
        while true {
            for cell in site.cells { try cell.start() }
            let served = try load.awaitService(people, within: .seconds(1))
            if served.count == people || ContinuousClock.now > deadline { return served }
        }
    }

    /// Whatever was answered must be there.
    func look(rereads: Bool) throws {
        // First what was answered: all that is in the database then.
        let new = load.takeAnswers()
        answered.merge(new) { $0 + $1 }
        var ledger = rereads ? Ledger() : self.ledger
        for conversation in conversations {
            let entries = try site.database.entries(of: conversation, after: ledger.count(of: conversation))
            ledger.extend(conversation, by: entries)
            for entry in (rereads ? answered : new)[conversation] ?? [] {
                ledger.check(answered: entry, in: conversation)
            }
        }
        if rereads { further.add(ledger.findings) } else { self.ledger = ledger }
    }

    /// How long all may take to be answered in the end, and then to be heard.
    private static let silenceLimit = Duration.seconds(60)
    private static let hearingLimit = Duration.seconds(30)

    /// Lets everybody finish, and compares all with all.
    ///
    /// - Parameter atEnd: is done when nobody says anything any more.
    func finish(_ name: String, atEnd: () throws -> Void = {}) throws -> TrialSummary {
        if try !load.fallSilent(within: LoadedTrial.silenceLimit) { further.add(.fault, "requests without an answer") }
        try atEnd()
        try look(rereads: false)
        var final = Ledger()
        for conversation in conversations {
            final.extend(conversation, by: try site.database.entries(of: conversation, after: 0))
        }
        // Nobody asks for it any more: what a device does not hear by itself is missing.
        let lengths = Dictionary(uniqueKeysWithValues: conversations.map { ($0, final.count(of: $0)) })
        _ = try load.awaitLogs(lengths, within: LoadedTrial.hearingLimit)
        let report = try load.end()
        for (conversation, entries) in answered {
            for entry in entries { final.check(answered: entry, in: conversation) }
        }
        for (conversation, log) in report.logs {
            let heard = log.enumerated().map { Ledger.Entry(seq: $0.offset + 1, id: $0.element) }
            final.check(heard: heard, in: conversation)
        }
        let strays = try site.database.strayRecords()
        if strays > 0 { further.add(.fault, "\(strays) records behind the end of a stream") }
        for complaint in site.complaints { further.add(.fault, complaint) }
        var findings = final.findings
        for more in [ledger.findings, report.findings, further] { findings.add(more) }
        return TrialSummary(
            name: name, rounds: rounds, records: final.entryCount, counts: load.counts, waits: waits,
            unserved: unserved, findings: findings)
    }
}
