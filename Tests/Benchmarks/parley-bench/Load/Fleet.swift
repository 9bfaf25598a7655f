import MQTTWire
import GatewaySite
import Platform
import ParleyBridge
import ParleyProtocol

/// All devices of a run, on one thread: many sockets, one loop over `ppoll`, large reads and writes, no allocation for
/// a message. It is cheap because it shares the machine with what it measures.
final class Fleet {
    struct Device {
        var socket: DeviceSocket
        let conversation: Int
        var isDirty = false
    }

    private let stop: StopFlag
    private let senders: Int
    private let members: Int
    private var conversations: [Population.Group]
    private var devices: [Device] = []
    private var entries: [pollfd] = []
    private var dirty: [Int] = []
    private var input = [UInt8](repeating: 0, count: 256 << 10)
    private var connected = 0
    private var subscribed = 0

    // Of the run under way.
    private var templates: [RequestTemplate] = []
    private var ledger: Ledger
    private var runs = 0
    private var isRefilling = false
    private var isTimed = false
    private var measuredFrom = Int64.max
    private var latencies: [Int64] = []
    private let realtimeOffset: Int64

    /// Time that a sweep over the sockets takes at least in a closed loop: what comes meanwhile is read and written in
    /// fewer and larger pieces, which leaves more of the machine to what is measured.
    private static let sweepNanoseconds: Int64 = 300_000
    private static let longestWait: Int64 = 50_000_000

    /// Connects every device and subscribes it to its conversation and to its replies.
    init(_ conversations: [Population.Group], port: UInt16, stop: StopFlag) throws {
        self.stop = stop
        self.conversations = conversations
        senders = conversations.count
        members = conversations.first?.seats.count ?? 0
        ledger = Ledger(run: 0, conversations: senders, listeners: 0, listenersEach: 0)
        realtimeOffset = Timestamp.systemNow.milliseconds - MonotonicTime.now / 1_000_000
        for (index, group) in conversations.enumerated() {
            for seat in group.seats { try connect(seat, conversation: index, port: port) }
        }
        try sweep(until: { self.connected == self.devices.count }, what: "CONNACK")
        for (index, group) in conversations.enumerated() {
            for (place, seat) in group.seats.enumerated() {
                let device = index * members + place
                devices[device].socket.output += PacketWriter.subscribe(
                    to: [
                        Topic.conversation(group.id, .messages).name,
                        "\(Topic.prefix)down/\(seat.address.user)/\(seat.address.device)/#",
                    ], packet: 1)
                markDirty(device)
            }
        }
        try sweep(until: { self.subscribed == self.devices.count }, what: "SUBACK")
    }

    deinit {
        for device in devices { Socket.close(device.socket.descriptor) }
    }

    private func connect(_ seat: Population.Seat, conversation: Int, port: UInt16) throws {
        let socket = try DeviceSocket(toLoopbackPort: port)
        devices.append(Device(socket: socket, conversation: conversation))
        entries.append(pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0))
        let index = devices.count - 1
        devices[index].socket.output = PacketWriter.connect(
            clientID: "\(seat.address.user):\(seat.address.device)", username: seat.address.user.description,
            password: seat.token)
        markDirty(index)
        try flush()
    }
}

// MARK: A run

extension Fleet {
    /// Sends and receives as planned, and waits for what is under way at the end.
    func run(_ plan: LoadPlan, at edge: (MeasuredEdge) throws -> Void) throws -> LoadOutcome {
        prepare(plan)
        let start = MonotonicTime.now
        let measureAt = start + Int64(plan.warmUp * 1e9)
        let end = measureAt + Int64(plan.measured * 1e9)
        measuredFrom = measureAt

        try drive(plan.pace, from: start, until: measureAt)
        try edge(.begin)
        let (firstCompleted, begun) = (ledger.completed, MonotonicTime.now)
        try drive(plan.pace, from: start, until: end)
        let (lastCompleted, ended) = (ledger.completed, MonotonicTime.now)
        try edge(.end)

        isRefilling = false
        let deadline = MonotonicTime.now + Int64(plan.patience * 1e9)
        while ledger.underway > 0, MonotonicTime.now < deadline { try sweep(wait: Fleet.longestWait) }
        try sweep(wait: 1_000_000)
        ledger.close()
        latencies.sort()
        return LoadOutcome(
            sent: ledger.sent, completed: lastCompleted - firstCompleted, seconds: Double(ended - begun) / 1e9,
            latencies: latencies, faults: ledger.faults)
    }

    private func prepare(_ plan: LoadPlan) {
        runs += 1
        let replies =
            switch plan.form {
            case .event: 0
            case .reply: 1
            }
        ledger = Ledger(
            run: runs, conversations: senders, listeners: devices.count + senders, listenersEach: members + replies)
        templates = conversations.map { group in
            RequestTemplate(sender: group.seats[0].address, conversation: group.id, form: plan.form)
        }
        latencies.removeAll(keepingCapacity: true)
        switch plan.pace {
        case .closed(let window):
            isRefilling = true
            isTimed = false
            let now = MonotonicTime.now
            for _ in 0..<window {
                for sender in 0..<senders { send(sender, dueAt: now) }
            }
        case .open:
            isRefilling = false
            isTimed = true
        }
    }

    private func drive(_ pace: LoadPlan.Pace, from start: Int64, until end: Int64) throws {
        switch pace {
        case .closed:
            while MonotonicTime.now < end {
                let begun = MonotonicTime.now
                try sweep(wait: Fleet.longestWait)
                let rest = Fleet.sweepNanoseconds - (MonotonicTime.now - begun)
                if rest > 0 { Fleet.pause(rest) }
            }
        case .open(let rate):
            while true {
                let now = MonotonicTime.now
                guard now < end else { return }
                var due = start + Int64(Double(ledger.sent) / Double(rate) * 1e9)
                while due <= now, send(ledger.sent % senders, dueAt: due) {
                    due = start + Int64(Double(ledger.sent) / Double(rate) * 1e9)
                }
                try sweep(wait: max(0, min(due, end) - MonotonicTime.now))
            }
        }
    }

    @discardableResult
    @inline(__always)
    private func send(_ sender: Int, dueAt due: Int64) -> Bool {
        guard let number = ledger.send(sender, dueAt: due) else { return false }
        templates[sender].prepare(number, milliseconds: due / 1_000_000 + realtimeOffset)
        let device = sender * members
        devices[device].socket.output += templates[sender].bytes
        markDirty(device)
        return true
    }

    private static func pause(_ nanoseconds: Int64) {
        var time = timespec(tv_sec: 0, tv_nsec: Int(nanoseconds))
        unsafe nanosleep(&time, nil)
    }
}

// MARK: The loop

extension Fleet {
    private func sweep(until isDone: () -> Bool, what: String) throws {
        let deadline = MonotonicTime.now + 20_000_000_000
        while !isDone() {
            guard MonotonicTime.now < deadline else { throw LoadError.missing(what) }
            try sweep(wait: Fleet.longestWait)
        }
    }

    /// Writes what waits, waits for what can be read, and reads all of it.
    private func sweep(wait nanoseconds: Int64) throws {
        if stop.isRaised { throw LoadError.interrupted }
        try flush()
        guard try Socket.poll(&entries, nanoseconds: nanoseconds) > 0 else { return }
        for index in entries.indices where entries[index].revents != 0 {
            if entries[index].revents & Int16(POLLOUT) != 0 { markDirty(index) }
            if entries[index].revents & ~Int16(POLLOUT) != 0 { try read(index) }
        }
        try flush()
    }

    private func read(_ index: Int) throws {
        let end = try devices[index].socket.read(into: &input)
        var position = 0
        while let (packet, next) = try PacketReader.next(in: input, from: position, to: end) {
            try take(packet, at: index)
            position = next
        }
        if position < end { devices[index].socket.keep(input[position..<end]) }
    }

    @inline(__always)
    private func take(_ packet: InboundPacket, at index: Int) throws {
        switch packet {
        case .delivery(let topic, let payload, let identifier):
            if let identifier {
                devices[index].socket.output += [0x40, 2, UInt8(identifier >> 8), UInt8(identifier & 0xFF)]
                markDirty(index)
            }
            deliver(topic: topic, payload: payload, to: index)
        case .acknowledged(let reason):
            // 0x10 is as bad: nobody was there to relay it.
            if reason != 0 { ledger.faults.refuse("PUBACK with reason \(reason)") }
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

    @inline(__always)
    private func deliver(topic: Range<Int>, payload: Range<Int>, to index: Int) {
        let isReply = input[topic.lowerBound + Topic.prefix.utf8.count] == UInt8(ascii: "d")
        guard let idAt = DeliveryForm.idOffset(in: input, payload: payload, isReply: isReply) else {
            ledger.faults.refuse(String(decoding: input[payload].prefix(300), as: UTF8.self))
            return
        }
        let conversation = devices[index].conversation
        let due = ledger.deliver(
            MessageNumber(parsing: input, at: idAt), to: isReply ? devices.count + conversation : index,
            of: conversation)
        guard let due else { return }
        if isRefilling {
            send(conversation, dueAt: MonotonicTime.now)
        } else if isTimed, due >= measuredFrom {
            latencies.append(MonotonicTime.now - due)
        }
    }

    @inline(__always)
    private func markDirty(_ index: Int) {
        guard !devices[index].isDirty else { return }
        devices[index].isDirty = true
        dirty.append(index)
    }

    private func flush() throws {
        for index in dirty {
            devices[index].isDirty = false
            let isAllWritten = try devices[index].socket.flush()
            entries[index].events = Int16(isAllWritten ? POLLIN : POLLIN | POLLOUT)
        }
        dirty.removeAll(keepingCapacity: true)
    }
}
