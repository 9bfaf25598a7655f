import GatewaySite
import Platform
import ParleyBridge
import ParleyProtocol

/// The devices of groups that train, on one thread: all but the last of each group log, ask and send; the last one listens to
/// the board and to the messages.
final class TrainingFleet {
    private struct Device {
        let socket: Int32
        let group: Int
        let place: Int
        let isListener: Bool
        var output: [UInt8] = []
        var written = 0
        var partial: [UInt8] = []
        var packet: UInt16 = 0
        var workouts = 0
    }

    /// What is asked for.
    enum Work: String, CaseIterable {
        case log = "workouts/log"
        case get = "leaderboards/get"

        /// Requests that are under way at once in a closed loop; the gateway refuses some of what is more than it lets wait.
        var underway: Int {
            switch self {
            case .log: 500
            case .get: 200
            }
        }
    }

    /// How long things took, in nanoseconds and ascending.
    struct Latencies {
        /// From a workout to the board at the one who listens.
        var boards: [Int64] = []
        /// From a message to the one who listens.
        var messages: [Int64] = []
    }

    /// More of a day are refused.
    private static let mostWorkouts = 95

    private let groups: [TrainingGroups.Group]
    private let stop: StopFlag
    private var devices: [Device] = []
    private var senders: [Int] = []
    private var entries: [pollfd] = []
    private var input = [UInt8](repeating: 0, count: 1 << 20)
    private var templates: [RequestTemplate] = []
    private var messageCount = 0
    private var connected = 0
    private var subscribed = 0

    // Of the run under way.
    private var work: Work?
    /// How many requests were made in it.
    private var turn = 0
    private var replies = 0
    private(set) var refusals: [String] = []
    private var latencies = Latencies()
    /// By group, when that was sent which is timed; 0 for nothing.
    private var loggedAt: [Int64]
    private var messagedAt: [Int64]
    private var lastReply: [UInt8] = []

    /// Connects the devices of each group.
    init(_ groups: [TrainingGroups.Group], port: UInt16, stop: StopFlag) throws {
        self.groups = groups
        self.stop = stop
        loggedAt = [Int64](repeating: 0, count: groups.count)
        messagedAt = loggedAt
        for (index, group) in groups.enumerated() {
            for place in group.seats.indices { try connect(group.seats[place], index, place, port) }
            // The broker lets no more than so many wait to be accepted.
            try sweep(until: { self.connected == self.devices.count }, what: "CONNACK")
            templates.append(
                RequestTemplate(
                    sender: group.seats[0].address, conversation: ConversationID(of: group.id), form: .event))
        }
        senders = devices.indices.filter { !devices[$0].isListener }.sorted { devices[$0].place < devices[$1].place }
        for index in devices.indices {
            let group = groups[devices[index].group]
            let address = group.seats[devices[index].place].address
            let filters =
                devices[index].isListener
                ? [Topic.group(group.id, .checkIns), .conversation(ConversationID(of: group.id), .messages)].map(\.name)
                : ["\(Topic.prefix)down/\(address.user)/\(address.device)/#"]
            devices[index].output += PacketWriter.subscribe(to: filters, packet: 1)
        }
        try sweep(until: { self.subscribed == self.devices.count }, what: "SUBACK")
    }

    deinit { for device in devices { Socket.close(device.socket) } }

    private func connect(_ seat: Population.Seat, _ group: Int, _ place: Int, _ port: UInt16) throws {
        let isListener = place == groups[group].seats.count - 1
        var device = Device(
            socket: try Socket.connect(toLoopbackPort: port), group: group, place: place, isListener: isListener)
        device.output = PacketWriter.connect(
            clientID: "\(seat.address.user):\(seat.address.device)", username: seat.address.user.description,
            password: seat.token)
        entries.append(pollfd(fd: device.socket, events: Int16(POLLIN), revents: 0))
        devices.append(device)
    }
}

// MARK: Measuring

extension TrainingFleet {
    /// Replies a second in a closed loop; the devices take turns.
    ///
    /// - Parameter edge: called where the measured time begins and ends.
    /// - Returns: replies, and in how many seconds.
    func throughput(
        _ work: Work, seconds: Double, at edge: (MeasuredEdge) -> Void
    ) throws -> (replies: Int, seconds: Double) {
        self.work = work
        for _ in 0..<work.underway { sendNext(work) }
        let begun = MonotonicTime.now
        let (measureAt, end) = (begun + 1_000_000_000, begun + 1_000_000_000 + Int64(seconds * 1e9))
        while MonotonicTime.now < measureAt { try sweep(wait: Self.longestWait) }
        edge(.begin)
        let (first, from) = (replies, MonotonicTime.now)
        while MonotonicTime.now < end { try sweep(wait: Self.longestWait) }
        let result = (replies - first, Double(MonotonicTime.now - from) / 1e9)
        edge(.end)
        self.work = nil
        try settle()
        return result
    }

    /// So many workouts and messages a second, each of another group in turn.
    ///
    /// - Parameters:
    ///   - timedFrom: what is sent before is not timed.
    ///   - isOver: asked again and again, whether to end before the time.
    func latencies(
        workouts: Int, messages: Int, seconds: Double, timedFrom: Timestamp = .earliest,
        unless isOver: () throws -> Bool = { false }
    ) throws -> Latencies {
        latencies = Latencies()
        let begun = MonotonicTime.now
        let end = begun + Int64(seconds * 1e9)
        var (logged, messaged) = (0, 0)
        func due(_ count: Int, _ rate: Int) -> Int64 {
            rate == 0 ? .max : begun + Int64(Double(count) / Double(rate) * 1e9)
        }
        while MonotonicTime.now < end, try !isOver() {
            let now = MonotonicTime.now
            if due(logged, workouts) <= now {
                let index = senders[logged % senders.count]
                loggedAt[devices[index].group] = due(logged, workouts)
                send(.log, index)
                logged += 1
            }
            if due(messaged, messages) <= now {
                let isTimed = Timestamp.systemNow >= timedFrom
                sendMessage(in: messaged % groups.count, dueAt: isTimed ? due(messaged, messages) : 0)
                messaged += 1
            }
            let next = min(due(logged, workouts), due(messaged, messages), MonotonicTime.now + Self.longestWait)
            try sweep(wait: max(0, next - MonotonicTime.now))
        }
        try settle()
        for index in groups.indices { (loggedAt[index], messagedAt[index]) = (0, 0) }
        return Latencies(boards: latencies.boards.sorted(), messages: latencies.messages.sorted())
    }

    /// One request after the other, each of another group.
    ///
    /// - Returns: from each request to its reply, in nanoseconds and ascending.
    func alone(_ work: Work, count: Int) throws -> [Int64] {
        var times: [Int64] = []
        for number in 0..<count {
            let (before, from) = (replies, MonotonicTime.now)
            send(work, senders[number % senders.count])
            try sweep(until: { self.replies > before }, what: "a reply")
            times.append(MonotonicTime.now - from)
        }
        return times.sorted()
    }

    /// Asks for the board of the last group.
    func askLast() { if let index = devices.lastIndex(where: { !$0.isListener }) { send(.get, index) } }

    /// Whether the last reply is a board of a week.
    func hasBoard(of week: ISOWeek) -> Bool {
        String(decoding: lastReply, as: UTF8.self).contains("\"week\":\"\(week)\"")
    }

    func forgetRefusals() { refusals = [] }

    /// Lets what is under way come to its end.
    private func settle() throws {
        let end = MonotonicTime.now + 1_500_000_000
        while MonotonicTime.now < end { try sweep(wait: Self.longestWait) }
    }

    private func sendNext(_ work: Work) {
        send(work, senders[turn % senders.count])
        turn += 1
    }

    private func send(_ work: Work, _ index: Int) {
        let group = groups[devices[index].group]
        let payload: [UInt8]
        switch work {
        case .log:
            guard devices[index].workouts < Self.mostWorkouts else {
                refusals.append("a device has logged as much as it may in a day: more groups, or fewer seconds")
                return
            }
            devices[index].workouts += 1
            let request = LogWorkout(id: .random(), completedAt: .systemNow, timeZone: "UTC", kind: "run", minutes: 30)
            payload = request.payload()
        case .get: payload = GetLeaderboard(group: group.id, type: .checkIns).payload()
        }
        let address = group.seats[devices[index].place].address
        var packet = PacketWriter.publish(
            topic: "\(Topic.prefix)up/\(address.user)/\(address.device)/\(work.rawValue)", payload: payload)
        devices[index].packet = devices[index].packet % 60_000 + 1
        packet.bytes[packet.identifierAt] = UInt8(devices[index].packet >> 8)
        packet.bytes[packet.identifierAt + 1] = UInt8(devices[index].packet & 0xFF)
        devices[index].output += packet.bytes
    }

    private func sendMessage(in group: Int, dueAt due: Int64) {
        guard let index = senders.first(where: { devices[$0].group == group && devices[$0].place == 0 }) else { return }
        messageCount += 1
        messagedAt[group] = due
        templates[group].prepare(
            MessageNumber(sender: group & 0xFFF, run: 1, count: messageCount),
            milliseconds: Timestamp.systemNow.milliseconds)
        devices[index].output += templates[group].bytes
    }
}

// MARK: The loop

extension TrainingFleet {
    private static let longestWait: Int64 = 10_000_000

    private func sweep(until isDone: () -> Bool, what: String) throws {
        let deadline = MonotonicTime.now + 60_000_000_000
        while !isDone() {
            guard MonotonicTime.now < deadline else { throw LoadError.missing(what) }
            try sweep(wait: 50_000_000)
        }
    }

    private func sweep(wait nanoseconds: Int64) throws {
        if stop.isRaised { throw LoadError.interrupted }
        try flush()
        guard try Socket.poll(&entries, nanoseconds: nanoseconds) > 0 else { return }
        for index in entries.indices where entries[index].revents & ~Int16(POLLOUT) != 0 { try read(index) }
        try flush()
    }

    private func flush() throws {
        for index in devices.indices where !devices[index].output.isEmpty {
            let count = devices[index].output.count
            devices[index].written += try Socket.send(
                devices[index].socket, devices[index].output, from: devices[index].written)
            let isAllWritten = devices[index].written == count
            if isAllWritten {
                devices[index].output.removeAll(keepingCapacity: true)
                devices[index].written = 0
            }
            entries[index].events = Int16(isAllWritten ? POLLIN : POLLIN | POLLOUT)
        }
    }

    private func read(_ index: Int) throws {
        let kept = devices[index].partial.count
        if kept > 0 {
            input.replaceSubrange(0..<kept, with: devices[index].partial)
            devices[index].partial.removeAll(keepingCapacity: true)
        }
        let end = try kept + Socket.receive(devices[index].socket, into: &input, at: kept)
        var position = 0
        while let (packet, next) = try PacketReader.next(in: input, from: position, to: end) {
            try handle(packet, index)
            position = next
        }
        if position < end { devices[index].partial += input[position..<end] }
    }

    private func handle(_ packet: InboundPacket, _ index: Int) throws {
        switch packet {
        case .delivery(let topic, let payload, let identifier):
            if let identifier {
                devices[index].output += [0x40, 2, UInt8(identifier >> 8), UInt8(identifier & 0xFF)]
            }
            if devices[index].isListener { hear(topic, index) } else { answer(payload, index) }
        case .acknowledged(let reason): if reason != 0 { refusals.append("PUBACK with reason \(reason)") }
        case .connected(let reason, _):
            guard reason == 0 else { throw LoadError.refused("CONNACK", reason) }
            connected += 1
        case .subscribed(let reasons):
            for reason in input[reasons] where reason >= 0x80 { throw LoadError.refused("SUBACK", reason) }
            subscribed += 1
        case .disconnected(let reason): throw LoadError.refused("DISCONNECT", reason)
        case .other: break
        }
    }

    /// A board or a message at the one who listens.
    private func hear(_ topic: Range<Int>, _ index: Int) {
        let group = devices[index].group
        let isBoard = input[topic.lowerBound + Topic.prefix.utf8.count] == UInt8(ascii: "g")
        if isBoard, loggedAt[group] > 0 {
            latencies.boards.append(MonotonicTime.now - loggedAt[group])
            loggedAt[group] = 0
        } else if !isBoard, messagedAt[group] > 0 {
            latencies.messages.append(MonotonicTime.now - messagedAt[group])
            messagedAt[group] = 0
        }
    }

    private func answer(_ payload: Range<Int>, _ index: Int) {
        replies += 1
        let reply = input[payload]
        if reply.prefix(40).firstRange(of: Array(#""ok":false"#.utf8)) != nil {
            refusals.append(String(decoding: reply, as: UTF8.self))
        }
        if let work { sendNext(work) } else { lastReply = Array(reply) }
    }
}
