import MQTTWire
import GatewaySite
import Platform
import ParleyBridge
import ParleyProtocol

/// The devices of groups that train, on one thread: all but the last of each group log, ask and send; the last one
/// listens to the board and to the messages.
final class TrainingFleet {
    struct Device {
        var socket: DeviceSocket
        let group: Int
        let place: Int
        let isListener: Bool
        var packet: UInt16 = 0
        var workouts = 0
    }

    /// What is asked for.
    enum Work: String, CaseIterable {
        case log = "workouts/log"
        case get = "leaderboards/get"

        /// Requests that are under way at once in a closed loop; the gateway refuses some of what is more than it lets
        /// wait.
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
        /// Messages that have not come within a second after the last was sent.
        var lost = 0
    }

    /// More of a day are refused.
    static let mostWorkouts = 95

    let groups: [TrainingGroups.Group]
    private let stop: StopFlag
    var devices: [Device] = []
    var senders: [Int] = []
    private var entries: [pollfd] = []
    private var input = [UInt8](repeating: 0, count: 1 << 20)
    var templates: [RequestTemplate] = []
    var messageCount = 0
    private var connected = 0
    private var subscribed = 0

    // Of the run under way.
    var work: Work?
    /// How many requests were made in it.
    var turn = 0
    var replies = 0
    var refusals: [String] = []
    var latencies = Latencies()
    /// By group, when that was sent which has not come yet, the earliest first.
    var loggedAt: [[Int64]]
    var messagedAt: [[Int64]]
    var lastReply: [UInt8] = []
    /// Whether a member of the last group was notified that the week has ended: groups are notified in their order.
    private(set) var isLastNotified = false

    /// Connects the devices of each group.
    init(_ groups: [TrainingGroups.Group], port: UInt16, stop: StopFlag) throws {
        self.groups = groups
        self.stop = stop
        loggedAt = [[Int64]](repeating: [], count: groups.count)
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
            let notifications = devices[index].group == groups.count - 1 && devices[index].place == 0
            let filters =
                devices[index].isListener
                ? [Topic.group(group.id, .checkIns), .conversation(ConversationID(of: group.id), .messages)].map(\.name)
                : ["\(Topic.prefix)down/\(address.user)/\(address.device)/#"]
                    + (notifications ? [Topic.user(address.user, .notifications).name] : [])
            devices[index].socket.output += PacketWriter.subscribe(to: filters, packet: 1)
        }
        try sweep(until: { self.subscribed == self.devices.count }, what: "SUBACK")
    }

    deinit { for device in devices { Socket.close(device.socket.descriptor) } }

    private func connect(_ seat: Population.Seat, _ group: Int, _ place: Int, _ port: UInt16) throws {
        let isListener = place == groups[group].seats.count - 1
        var device = Device(
            socket: try DeviceSocket(toLoopbackPort: port), group: group, place: place, isListener: isListener)
        device.socket.output = PacketWriter.connect(
            clientID: "\(seat.address.user):\(seat.address.device)", username: seat.address.user.description,
            password: seat.token)
        entries.append(pollfd(fd: device.socket.descriptor, events: Int16(POLLIN), revents: 0))
        devices.append(device)
    }
}

// MARK: The loop

extension TrainingFleet {
    static let longestWait: Int64 = 10_000_000

    func sweep(until isDone: () -> Bool, what: String) throws {
        let deadline = MonotonicTime.now + 60_000_000_000
        while !isDone() {
            guard MonotonicTime.now < deadline else { throw LoadError.missing(what) }
            try sweep(wait: 50_000_000)
        }
    }

    func sweep(wait nanoseconds: Int64) throws {
        if stop.isRaised { throw LoadError.interrupted }
        try flush()
        guard try Socket.poll(&entries, nanoseconds: nanoseconds) > 0 else { return }
        for index in entries.indices where entries[index].revents & ~Int16(POLLOUT) != 0 { try read(index) }
        try flush()
    }

    private func flush() throws {
        for index in devices.indices where !devices[index].socket.output.isEmpty {
            let isAllWritten = try devices[index].socket.flush()
            entries[index].events = Int16(isAllWritten ? POLLIN : POLLIN | POLLOUT)
        }
    }

    private func read(_ index: Int) throws {
        let end = try devices[index].socket.read(into: &input)
        var position = 0
        while let (packet, next) = try PacketReader.next(in: input, from: position, to: end) {
            try handle(packet, index)
            position = next
        }
        if position < end { devices[index].socket.keep(input[position..<end]) }
    }

    private func handle(_ packet: InboundPacket, _ index: Int) throws {
        switch packet {
        case .delivery(let topic, let payload, let identifier):
            if let identifier {
                devices[index].socket.output += [0x40, 2, UInt8(identifier >> 8), UInt8(identifier & 0xFF)]
            }
            switch (devices[index].isListener, input[topic.lowerBound + Topic.prefix.utf8.count]) {
            case (true, let area): hear(isBoard: area == UInt8(ascii: "g"), devices[index].group)
            case (false, UInt8(ascii: "u")): isLastNotified = true
            case (false, _): answer(payload)
            }
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
    private func hear(isBoard: Bool, _ group: Int) {
        if isBoard {
            // A board has all that was logged before it.
            latencies.boards += loggedAt[group].map { MonotonicTime.now - $0 }
            loggedAt[group] = []
        } else if !messagedAt[group].isEmpty {
            latencies.messages.append(MonotonicTime.now - messagedAt[group].removeFirst())
        }
    }

    private func answer(_ payload: Range<Int>) {
        replies += 1
        let reply = input[payload]
        if reply.prefix(40).firstRange(of: Array(#""ok":false"#.utf8)) != nil {
            refusals.append(String(decoding: reply, as: UTF8.self))
        }
        if let work { sendNext(work) } else { lastReply = Array(reply) }
    }
}
