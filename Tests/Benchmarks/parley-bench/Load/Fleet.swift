import MQTTWire
import GatewaySite
import Platform
import ParleyBridge
import ParleyProtocol
import Synchronization

/// All devices of a run: those of a conversation stand together, its senders first.
final class Fleet: SocketFleet {
    private let members: Int
    private let conversations: [Population.Group]
    /// How many members of each conversation send.
    private let sendersEach: Int
    private var senders: Int { conversations.count * sendersEach }

    // Of the run under way.
    private var templates: [RequestTemplate] = []
    private var ledger: Ledger
    private var run = 0
    private var isRefilling = false
    private var isTimed = false
    private var measuredFrom = Int64.max
    private var latencies: [Int64] = []
    private let realtimeOffset: Int64

    /// Runs of all fleets of the process: a message that comes again, late, is not one of the run under way.
    private static let runs = Atomic<Int>(0)

    /// The least time of a sweep over the sockets in a closed loop: fewer and larger reads and writes leave more of the
    /// machine to the gateway.
    private static let sweepNanoseconds: Int64 = 300_000

    /// Connects every device to one broker and subscribes it to its conversation and to its replies.
    convenience init(_ conversations: [Population.Group], port: UInt16, stop: StopFlag) throws {
        try self.init(conversations, stop: stop) { _, _ in port }
    }

    /// - Parameters:
    ///   - sendersEach: at most as many as there are members.
    ///   - port: of the broker to which a member of a conversation connects, both by their place.
    init(
        _ conversations: [Population.Group], sendersEach: Int = 1, stop: StopFlag,
        port: (_ conversation: Int, _ member: Int) -> UInt16
    ) throws {
        self.conversations = conversations
        self.sendersEach = sendersEach
        members = conversations.first?.seats.count ?? 0
        ledger = Ledger(run: 0, senders: 0, listeners: 0, listenersEach: 0)
        realtimeOffset = Timestamp.systemNow.milliseconds - MonotonicTime.now / 1_000_000
        super.init(port: port(0, 0), inputBytes: 256 << 10, stop: stop)
        for (index, group) in conversations.enumerated() {
            for (place, seat) in group.seats.enumerated() { try connect(seat, port: port(index, place)) }
        }
        try awaitConnected()
        for (index, group) in conversations.enumerated() {
            let messages = Topic.conversation(group.id, .messages).name
            for (place, seat) in group.seats.enumerated() {
                let replies = "\(Topic.prefix)down/\(seat.address.user)/\(seat.address.device)/#"
                try subscribe(index * members + place, to: [messages, replies])
            }
        }
        try awaitSubscribed()
    }

    override func refuse(_ reason: String) { ledger.faults.refuse(reason) }

    override func deliver(topic: Range<Int>, payload: Range<Int>, to index: Int) {
        let isReply = input[topic.lowerBound + Topic.prefix.utf8.count] == UInt8(ascii: "d")
        guard let idAt = DeliveryForm.idOffset(in: input, payload: payload, isReply: isReply) else {
            ledger.faults.refuse(String(decoding: input[payload].prefix(300), as: UTF8.self))
            return
        }
        let number = MessageNumber(parsing: input, at: idAt)
        // Of the conversation's senders; one of another conversation is refused below.
        let place = number.sender % sendersEach
        let sender = index / members * sendersEach + place
        let due = ledger.deliver(
            number, to: isReply ? deviceCount * sendersEach + sender : index * sendersEach + place, of: sender)
        guard let due else { return }
        if isRefilling {
            send(sender, dueAt: MonotonicTime.now)
        } else if isTimed, due >= measuredFrom {
            latencies.append(MonotonicTime.now - due)
        }
    }
}

// MARK: A run

extension Fleet {
    /// Sends and receives as planned, and waits for the messages under way at the end.
    func run(_ plan: LoadPlan, at edge: (MeasuredEdge) throws -> Void) throws -> LoadOutcome {
        try prepare(plan)
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
        while ledger.underway > 0, MonotonicTime.now < deadline { try sweep(wait: SocketFleet.longestWait) }
        try sweep(wait: 1_000_000)
        ledger.close()
        latencies.sort()
        return LoadOutcome(
            sent: ledger.sent, completed: lastCompleted - firstCompleted, seconds: Double(ended - begun) / 1e9,
            latencies: latencies, faults: ledger.faults)
    }

    private func prepare(_ plan: LoadPlan) throws {
        run = Fleet.runs.add(1, ordering: .relaxed).newValue
        let replies =
            switch plan.form {
            case .event: 0
            case .reply: 1
            }
        ledger = Ledger(
            run: run, senders: senders, listeners: deviceCount * sendersEach + senders,
            listenersEach: members + replies)
        templates = try conversations.flatMap { group in
            try group.seats.prefix(sendersEach).map { seat in
                try RequestTemplate(sender: seat.address, conversation: group.id, form: plan.form)
            }
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
                try sweep(wait: SocketFleet.longestWait)
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
        send(templates[sender].bytes, by: sender / sendersEach * members + sender % sendersEach)
        return true
    }

    private static func pause(_ nanoseconds: Int64) {
        var time = timespec(tv_sec: 0, tv_nsec: Int(nanoseconds))
        unsafe nanosleep(&time, nil)
    }
}
