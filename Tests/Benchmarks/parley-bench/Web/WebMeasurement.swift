import GatewaySite
import Launch
import ParleyProtocol

/// The runs of one measurement of the door, and what came of them.
struct WebMeasurement {
    let fleet: WebFleet
    let door: ChildProcess
    let gateway: ChildProcess
    let broker: ChildProcess
    let seconds: Double
    private(set) var report = WebReport()
    private(set) var faults = Faults()

    init(fleet: WebFleet, door: ChildProcess, gateway: ChildProcess, broker: ChildProcess, seconds: Double) {
        (self.fleet, self.door, self.gateway, self.broker) = (fleet, door, gateway, broker)
        self.seconds = seconds
    }

    private static let quickly = 1.0
    private static let resumed: [WebFleet.Work] = [.post, .page, .page, .post, .page]

    mutating func measure(sockets: Int, posts: Int, pages: Int) throws {
        // The door has seen each token before its memory is measured.
        _ = try run(.closed(Self.resumed), seconds: Self.quickly)
        let before = ProcessUsage.residentMegabytes(door.identifier).now
        if sockets > 0 {
            GatewaySite.report("opening \(sockets) WebSockets")
            try fleet.openSockets(sockets)
            report.addMemory(before: before, after: ProcessUsage.residentMegabytes(door.identifier).now, sockets)
        }
        let closed: [(String, [WebFleet.Work])] = [
            ("POST /messages", [.post]), ("page of 50", [.page]), ("both, 2 to 3", Self.resumed),
        ]
        for (name, work) in closed {
            GatewaySite.report("closed loop: \(name)")
            report.addClosed(name, try run(.closed(work), seconds: seconds))
        }
        for (posts, pages) in [(posts / 2, pages / 2), (posts, pages)] {
            GatewaySite.report("open loop: \(posts) messages and \(pages) pages a second")
            report.addOpen(
                posts: posts, pages: pages, try run(.open(posts: posts, pages: pages), seconds: seconds))
        }
        report.most = ProcessUsage.residentMegabytes(door.identifier).most
    }

    private mutating func run(_ pace: WebFleet.Pace, seconds: Double) throws -> WebOutcome {
        let (outcome, faults) = try fleet.run(pace, seconds: seconds) {
            WebUsage(door: door, gateway: gateway, broker: broker)
        }
        self.faults += faults
        return outcome
    }

    /// Reads all of it through the door: each posted message must be there, once.
    mutating func checkHistory(of population: WebPopulation, port: UInt16, before: Int) throws {
        GatewaySite.report("reading all of history")
        for (index, group) in population.talking.enumerated() {
            let ids = try WebHistory(port: port).ids(of: group.id, by: group.seats[0])
            let distinct = Set(ids)
            faults.duplicates += ids.count - distinct.count
            let numbers = distinct.map { MessageNumber(parsing: Array($0.description.utf8), at: 0) }
            let posted = fleet.posted.mapValues { $0[index] }
            let there = numbers.filter { $0.run > 0 && $0.sender == index && $0.count < posted[$0.run] ?? 0 }.count
            faults.losses += posted.values.reduce(0, +) - there
            if distinct.count - there != before { faults.refuse("history holds what nobody has posted") }
        }
    }

    var closing: String {
        let posted = fleet.posted.values.reduce(0) { $0 + $1.reduce(0, +) }
        return "\(posted) messages posted: \(faults.losses) losses, \(faults.duplicates) duplicates, "
            + "\(faults.reorderings) reorderings, \(faults.refusals) refusals"
    }
}
