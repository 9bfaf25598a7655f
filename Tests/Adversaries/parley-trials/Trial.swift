import MQTTWire
import GatewaySite
import ParleyProtocol
import Platform
import RepeatableRandom

/// One trial: somebody is cut off at a random moment of a busy conversation, and nothing that is published later may
/// reach them, on a live subscription or in a session that the broker keeps.
///
/// It ends by what has come and not by the clock: every wait is for a reply or an event that the gateway publishes
/// after all that the trial is about, on the connection that it is about. Confined to its thread.
final class Trial {
    let cast: Cast
    let ports: TrialPorts
    let stop: StopFlag
    /// Whether the cut is made at all. Without it everything later must be seen to arrive.
    let isCutMade: Bool
    var random: SplitMix64

    let keeper: TrialDevice
    let talker: TrialDevice
    let actor: TrialDevice
    let listener: TrialDevice
    let console: TrialDevice
    var others: [TrialDevice] = []
    var boundary = Boundary()
    var nextMessageAt = Int64.max
    var messages: [(id: MessageID, request: String)] = []
    private var typingSince = Int64.max
    /// How much the one who must hear nothing more had heard when the reply had come; `nil` if that is not looked at.
    var heardAtReply: Int?

    /// More than there are trials at a time, and fewer than one device may have in a day.
    private static let consoleNames: UInt64 = 500
    /// Nanoseconds; longer than anything takes, on whatever machine.
    static let patience: Int64 = 60_000_000_000
    /// Nanoseconds after which who types stops by themselves (protocol §3).
    private static let typingLifetime: Int64 = 5_000_000_000

    init(_ cast: Cast, ports: TrialPorts, seed: UInt64, isCutMade: Bool, stop: StopFlag) throws {
        self.cast = cast
        self.ports = ports
        self.stop = stop
        self.isCutMade = isCutMade
        random = SplitMix64(seed: seed)
        keeper = try TrialDevice(cast.keeper, port: ports.keeper)
        actor = try TrialDevice(cast.actor, port: ports.talker)
        talker = cast.talker.address == cast.actor.address ? actor : try TrialDevice(cast.talker, port: ports.talker)
        listener = try TrialDevice(cast.listener, port: ports.listener)
        console = try TrialDevice(
            cast.console, port: cast.cut == .block ? ports.listener : ports.keeper,
            name: "\(seed % Trial.consoleNames)")
    }

    func run() throws -> TrialOutcome {
        try assemble()
        var outcome = TrialOutcome(cut: cast.cut)
        try startTalking()
        try pump("a first message to the one concerned") {
            if ports.areApart, !listener.isOpen { throw TrialError.unavailable(cast.cut.label) }
            return listener.heard.contains { if case .record = $0.content { true } else { false } }
        }
        try talk(milliseconds: 10...120)
        let sentAt = MonotonicTime.now
        let repliedAt = try makeCut()
        if ports.areApart, isCutMade { try markSilence() }
        // On a busy machine the talker may have stopped by themselves, before the cut.
        if repliedAt - typingSince >= Trial.typingLifetime { boundary.laterToStop = [] }
        try goOn(after: repliedAt)
        try awaitEverythingLater(&outcome)
        try awaitLastWord()
        try settle(listener, &outcome)
        try checkSleeper(&outcome)
        judge(listener, "live", &outcome)
        judgeSilence(&outcome)
        outcome.heardLive = listener.heard.count
        if let lastAt = listener.endedAt ?? lastOfConversation(listener) {
            outcome.effect = max(0, lastAt - sentAt)
            outcome.effectAfterReply = max(0, lastAt - repliedAt)
        }
        return outcome
    }
}

// MARK: Before

extension Trial {
    func assemble() throws {
        let sleeper = try TrialDevice(cast.sleeper, port: ports.listener, keepsSession: true)
        others = [sleeper]
        var topics: [Topic] = [.messages, .receipts, .typing, .info].map { .conversation(cast.conversation, $0) }
        let everybody = [keeper, talker, actor, listener, console, sleeper]
        try pump("CONNACK") { everybody.allSatisfy { $0.connection != nil } }
        for device in everybody {
            guard device.connection?.reason == 0 else { throw TrialError.refused("CONNACK", "\(device.seat.address)") }
        }
        for device in [talker, actor, console] { try device.subscribe([]) }
        topics.append(.conversation(cast.aside, .messages))
        try keeper.subscribe(topics)
        topics += [.user(cast.concerned, .events)]
        // Only friends may hear it; nobody is refused, or is told.
        for device in [listener, sleeper] { try device.subscribe(topics) }
        try pump("SUBACK") { everybody.allSatisfy { $0.subscription(1) != nil } }
        for device in [keeper, listener, sleeper] where device.subscription(1)?.contains(where: { $0 >= 0x80 }) == true
        {
            throw TrialError.refused("SUBACK", "\(device.seat.address)")
        }
        // A gateway may pass over what is published before it knows of a connection: an app asks for that.
        for device in [keeper, listener, sleeper] { try fence(device) }
        sleeper.disconnect()
        try pump("the end of the sleeper's connection") { !sleeper.isOpen }
        others = []
    }

    func startTalking() throws {
        nextMessageAt = MonotonicTime.now
        typingSince = nextMessageAt
        try talker.ask(StartTyping(conversation: cast.conversation))
        // Its end comes after the cut.
        boundary.laterToStop = [cast.talker.address.user]
    }

    func send(
        _ device: TrialDevice, to conversation: ConversationID? = nil
    ) throws -> (id: MessageID, request: String) {
        let id = MessageID.random()
        let message = SendMessage(
            id: id, conversation: conversation ?? cast.conversation, type: .text, suite: .naclBox,
            content: [UInt8](repeating: 7, count: 64), nonce: [UInt8](repeating: 9, count: 24))
        return (id, try device.ask(message))
    }
}

// MARK: The loop

extension Trial {
    /// Lets the talker go on for a random time.
    func talk(milliseconds: ClosedRange<Int64>) throws {
        let end = MonotonicTime.now + Int64.random(in: milliseconds, using: &random) * 1_000_000
        try pump("time") { MonotonicTime.now >= end }
    }

    /// How many messages may be without a reply: more at once would only wait, with everything behind them.
    private static let window = 8

    private var mayTalk: Bool {
        messages.count < Trial.window || talker.reply(messages[messages.count - Trial.window].request) != nil
    }

    /// Sends and reads on all connections until `isDone`.
    func pump(_ what: @autoclosure () -> String, until isDone: () throws -> Bool) throws {
        let deadline = MonotonicTime.now + Trial.patience
        while try !isDone() {
            if stop.isRaised { throw LoadError.interrupted }
            // Among several gateways one that hears nothing of its store shuts its devices out.
            if ports.areApart, ![keeper, talker, actor, console].allSatisfy(\.isOpen) {
                throw TrialError.unavailable(cast.cut.label)
            }
            guard MonotonicTime.now < deadline else { throw TrialError.missing(what(), cast.cut) }
            if MonotonicTime.now >= nextMessageAt, mayTalk {
                messages.append(try send(talker))
                nextMessageAt = MonotonicTime.now + Int64.random(in: 500_000...3_000_000, using: &random)
            }
            var devices = [keeper, actor, listener, console] + others
            if talker !== actor { devices.append(talker) }
            devices.forEach { $0.flush() }
            var entries = devices.map(\.entry)
            guard try Socket.poll(&entries, milliseconds: nextMessageAt == .max ? 20 : 1) > 0 else { continue }
            for (device, entry) in zip(devices, entries) where entry.revents != 0 { try device.receive() }
            devices.forEach { $0.flush() }
        }
    }
}
