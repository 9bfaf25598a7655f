import GatewaySite
import Launch
import MQTTWire
import Platform
import ParleyProtocol
import RepeatableRandom

/// One run: apps that post and listen, on one thread, at a door that is killed at random moments and started again.
final class WebKillRun {
    private let groups: [Population.Group]
    private let site: Site
    private let port: UInt16
    private let kills: Int
    private var random: SplitMix64
    private let stop: StopFlag
    private var posting: [PostingApp]
    private var listening: [ListeningApp]
    private var input = [UInt8](repeating: 0, count: 1 << 20)
    private var seconds = 0.0
    private(set) var faults: [String] = []

    /// Between two kills, in milliseconds: some come while the door starts.
    private static let pause = 20...700
    private static let patience: Int64 = 60_000_000_000

    init(_ groups: [Population.Group], site: Site, port: UInt16, kills: Int, seed: UInt64, stop: StopFlag) {
        (self.groups, self.site, self.port, self.kills, self.stop) = (groups, site, port, kills, stop)
        random = SplitMix64(seed: seed)
        posting = groups.map { PostingApp($0, port: port) }
        listening = groups.map { ListeningApp($0, port: port) }
    }

    func perform() throws {
        let begun = MonotonicTime.now
        var door = try site.launchWebDoor(port: port)
        defer { door.end(grace: Site.grace) }
        try site.awaitReady(webDoor: door)
        for kill in 1...max(1, kills) where kills > 0 {
            let until = MonotonicTime.now + Int64(Int.random(in: Self.pause, using: &random)) * 1_000_000
            while MonotonicTime.now < until { try sweep(goesOn: true) }
            guard door.isRunning else { throw LoadError.rejected("the end of the door by itself") }
            door.end(with: SIGKILL)
            door = try site.launchWebDoor(port: port)
            if kill % 50 == 0 {
                report("\(kill) kills, \(posting.reduce(0) { $0 + $1.answered.count }) messages answered")
            }
        }
        try settle()
        seconds = Double(MonotonicTime.now - begun) / 1e9
        try check()
    }

    /// Waits until all is answered and heard, for some time.
    private func settle() throws {
        let deadline = MonotonicTime.now + Self.patience
        func isSettled() -> Bool {
            posting.allSatisfy(\.isIdle)
                && zip(posting, listening).allSatisfy { $0.answered.count == $1.log.count }
        }
        while !isSettled(), MonotonicTime.now < deadline { try sweep(goesOn: false) }
    }

    private func sweep(goesOn: Bool) throws {
        if stop.isRaised { throw LoadError.interrupted }
        for index in groups.indices {
            posting[index].advance(goesOn: goesOn)
            listening[index].advance()
        }
        var entries = (posting.map(\.connection) + listening.map(\.connection)).map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        guard try Socket.poll(&entries, milliseconds: 10) > 0 else { return }
        for index in entries.indices where entries[index].revents != 0 {
            if index < groups.count {
                try posting[index].read(into: &input)
            } else {
                try listening[index - groups.count].read(into: &input)
            }
        }
    }

    // MARK: What has come of it

    private func check() throws {
        for (index, group) in groups.enumerated() {
            faults += posting[index].faults + listening[index].faults
            let history = try WebHistory(port: port).ids(of: group.id, by: group.seats[0])
            if !posting[index].isIdle { faults.append("a message was never answered") }
            if history != posting[index].answered {
                faults.append(
                    "\(posting[index].answered.count) messages were answered, and history holds \(history.count), "
                        + "\(Set(history).count) of them different")
            }
            if listening[index].log != history { faults.append("the log of a WebSocket is not the history") }
        }
    }

    var figures: [(String, Int)] {
        [
            ("SIGKILLs of the door", kills), ("seconds", Int(seconds)),
            ("apps that post, and as many that listen", groups.count),
            ("messages answered", posting.reduce(0) { $0 + $1.answered.count }),
            ("requests repeated", posting.reduce(0) { $0 + $1.repeats }),
            ("WebSockets opened", listening.reduce(0) { $0 + $1.connection.connections }),
            ("resumed", listening.reduce(0) { $0 + $1.resumes }),
            ("lost, doubled, missing or out of order", faults.count),
        ]
    }
}
