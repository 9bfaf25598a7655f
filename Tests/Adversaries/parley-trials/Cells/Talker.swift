import GatewaySite
import ParleyProtocol
import RepeatableRandom

/// Somebody who talks all the time, on a connection that is made anew whenever it ends, repeats what has no reply, and
/// keeps a log of the conversation as an app would: live, and from history. Confined to the thread of its load.
final class Talker {
    let conversation: ConversationID
    private let seat: Population.Seat
    private let port: UInt16
    private var random: SplitMix64
    private var state: State
    private var outstanding: [Sending] = []
    private var nextMessageAt: Int64 = 0
    private var catchUp = CatchUp()
    private var lastReplyAt: Int64 = 0
    /// How often it has connected, or tried to.
    private var attempts = 0
    private(set) var wait: Wait?

    /// The conversation: the record of seq 1 first.
    private(set) var log: [MessageID] = []
    /// What replies have said, until somebody takes it.
    private var answers: [Ledger.Entry] = []
    private(set) var counts = Counts()
    private(set) var findings = Findings()

    private enum State {
        /// Until it tries again.
        case away(until: Int64)
        case connecting(TrialDevice, since: Int64)
        case subscribing(TrialDevice, since: Int64)
        case live(TrialDevice)
    }

    private struct Sending {
        let message: SendMessage
        /// The names of its requests on this connection.
        var names: [String] = []
        var sentAt: Int64 = 0
        var repeatAt: Int64 = 0
    }

    /// Reading history, which it does after each connection and behind each gap.
    private struct CatchUp {
        var isDue = true
        var name: String?
        var askedAt: Int64 = 0
    }

    struct Counts {
        var answered = 0
        var refused = 0
        var repeats = 0
        var connections = 0

        static func += (left: inout Counts, right: Counts) {
            left.answered += right.answered
            left.refused += right.refused
            left.repeats += right.repeats
            left.connections += right.connections
        }
    }

    /// From a disturbance until a request is answered that was sent after it.
    struct Wait {
        let since: Int64
        var hasLostConnection: Bool
        var endedAt: Int64?
    }

    /// Requests without a reply at a time.
    private static let window = 4
    /// In nanoseconds, as all times here.
    private static let pause: ClosedRange<Int64> = 20_000_000...120_000_000
    private static let retry: Int64 = 100_000_000
    private static let repetition: Int64 = 2_000_000_000
    /// How long a sign-in may take, and how long a connection may say nothing to what it was asked.
    private static let patience: Int64 = 3_000_000_000
    private static let longestSilence: Int64 = 8_000_000_000

    init(_ seat: Population.Seat, in conversation: ConversationID, port: UInt16, seed: UInt64) {
        self.seat = seat
        self.conversation = conversation
        self.port = port
        random = SplitMix64(seed: seed)
        state = .away(until: 0)
    }

    var device: TrialDevice? {
        switch state {
        case .away: nil
        case .connecting(let device, _), .subscribing(let device, _), .live(let device): device
        }
    }

    /// Whether nothing is without an answer.
    var isIdle: Bool { outstanding.isEmpty }

    func takeAnswers() -> [Ledger.Entry] {
        defer { answers = [] }
        return answers
    }

    /// Something was done to a cell.
    func beginWait(at time: Int64) {
        let isConnected = if case .live(let device) = state { device.isOpen } else { false }
        wait = Wait(since: time, hasLostConnection: !isConnected)
    }
}

// MARK: Each turn

extension Talker {
    func step(at now: Int64, isTalking: Bool) throws {
        switch state {
        case .away(let end): if now >= end { connect(now) }
        case .connecting(let device, let since): try signIn(device, since, now)
        case .subscribing(let device, let since): subscribe(device, since, now)
        case .live(let device):
            hear(device, now)
            guard device.isOpen, !isSilent(now) else { return leave(now) }
            if isTalking { talk(now) }
            try ask(device, now)
        }
        device?.flush()
    }

    private func connect(_ now: Int64) {
        attempts += 1
        do {
            state = .connecting(try TrialDevice(seat, port: port, number: attempts), since: now)
        } catch { state = .away(until: now + Talker.retry) }
    }

    private func signIn(_ device: TrialDevice, _ since: Int64, _ now: Int64) throws {
        guard let answer = device.connection else {
            if !device.isOpen || now - since > Talker.patience { leave(now) }
            return
        }
        guard answer.reason == 0 else { return leave(now) }
        try device.subscribe([.conversation(conversation, .messages)])
        state = .subscribing(device, since: now)
    }

    private func subscribe(_ device: TrialDevice, _ since: Int64, _ now: Int64) {
        guard let codes = device.subscription(1) else {
            if !device.isOpen || now - since > Talker.patience { leave(now) }
            return
        }
        guard codes.allSatisfy({ $0 < 0x80 }) else { return leave(now) }
        counts.connections += 1
        state = .live(device)
        lastReplyAt = now
        catchUp = CatchUp()
        for index in outstanding.indices {
            outstanding[index].names = []
            outstanding[index].repeatAt = now
        }
    }

    private func leave(_ now: Int64) {
        wait?.hasLostConnection = true
        state = .away(until: now + Talker.retry)
    }

    /// Whether the connection has said nothing for long, as an app would notice.
    private func isSilent(_ now: Int64) -> Bool {
        !outstanding.isEmpty && now - lastReplyAt > Talker.longestSilence
    }

    private func talk(_ now: Int64) {
        guard outstanding.count < Talker.window, now >= nextMessageAt else { return }
        if outstanding.isEmpty { lastReplyAt = now }
        nextMessageAt = now + .random(in: Talker.pause, using: &random)
        let message = SendMessage(
            id: .random(), conversation: conversation, type: .text, suite: .naclBox,
            content: [UInt8](repeating: 7, count: 64), nonce: [UInt8](repeating: 9, count: 24))
        outstanding.append(Sending(message: message))
    }

    private func ask(_ device: TrialDevice, _ now: Int64) throws {
        for index in outstanding.indices where now >= outstanding[index].repeatAt {
            if outstanding[index].sentAt > 0 { counts.repeats += 1 }
            outstanding[index].names.append(try device.ask(outstanding[index].message))
            outstanding[index].sentAt = now
            outstanding[index].repeatAt = now + Talker.repetition
        }
        guard catchUp.isDue, catchUp.name == nil || now - catchUp.askedAt > Talker.repetition else { return }
        let request = GetHistory(conversation: conversation, limit: 200, position: .after(.seq(log.count)))
        catchUp.name = try device.ask(request)
        catchUp.askedAt = now
    }
}

// MARK: Hearing

extension Talker {
    private func hear(_ device: TrialDevice, _ now: Int64) {
        for event in device.takeHeard() {
            guard case .record(let id, let seq) = event.content else { continue }
            if seq > log.count + 1 { catchUp.isDue = true }
            add(Ledger.Entry(seq: seq, id: id))
        }
        readHistory(device)
        for index in outstanding.indices.reversed() {
            guard let reply = outstanding[index].names.compactMap(device.takeReply).first else { continue }
            lastReplyAt = now
            guard reply.isAccepted else {
                refuse(index, reply.code, now)
                continue
            }
            let sending = outstanding.remove(at: index)
            guard let seq = reply.integer("seq") else {
                findings.add(.fault, "a reply without a seq")
                continue
            }
            counts.answered += 1
            answers.append(Ledger.Entry(seq: seq, id: sending.message.id))
            if let wait, wait.endedAt == nil, sending.sentAt > wait.since { self.wait?.endedAt = now }
        }
    }

    private func refuse(_ index: Int, _ code: String?, _ now: Int64) {
        counts.refused += 1
        outstanding[index].repeatAt = now + Talker.retry
        if code != ErrorCode.unavailable.rawValue {
            findings.add(.fault, "a message was refused: \(code ?? "no code")")
        }
    }

    private func readHistory(_ device: TrialDevice) {
        guard let name = catchUp.name, let reply = device.takeReply(name) else { return }
        catchUp.name = nil
        guard reply.isAccepted, let messages = try? reply.data?.objects("messages", maximum: 1000) else { return }
        for message in messages {
            guard let id = try? message.uuid("id", as: MessageID.self),
                let seq = try? message.integer("seq", in: 1...Int.max)
            else {
                findings.add(.fault, "a record of history without id or seq")
                continue
            }
            if seq > log.count + 1 { findings.add(.hole, "history gives \(seq) after \(log.count)") }
            add(Ledger.Entry(seq: seq, id: id))
        }
        catchUp.isDue = (try? reply.data?.bool("has_more")) == true
    }

    /// A known place must be the same; what comes behind a gap is read from history.
    private func add(_ entry: Ledger.Entry) {
        if entry.seq == log.count + 1 {
            log.append(entry.id)
        } else if entry.seq <= log.count, log[entry.seq - 1] != entry.id {
            findings.add(.disagreement, "\(entry.seq) is \(log[entry.seq - 1]) and \(entry.id)")
        }
    }
}
