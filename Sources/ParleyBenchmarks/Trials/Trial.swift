import Platform
import ParleyProtocol

/// One trial: somebody is cut off at a random moment of a busy conversation, and nothing that is published later may
/// reach him, on a live subscription or in a session that the broker keeps.
///
/// It ends by what has come and not by the clock: every wait is for a reply or an event that the gateway publishes after
/// all that the trial is about, on the connection that it is about. Confined to its thread.
final class Trial {
    private let cast: Cast
    private let port: UInt16
    private let stop: StopFlag
    /// Whether the cut is made at all. Without it everything later must be seen to arrive.
    private let isCutMade: Bool
    private var random: SeededGenerator

    private let keeper: TrialDevice
    private let talker: TrialDevice
    private let actor: TrialDevice
    private let listener: TrialDevice
    private let console: TrialDevice
    private var others: [TrialDevice] = []
    private var boundary = Boundary()
    private var nextWordAt = Int64.max
    private var words: [(id: MessageID, request: String)] = []

    /// Nanoseconds; longer than anything takes, on whatever machine.
    private static let patience: Int64 = 60_000_000_000

    init(_ cast: Cast, port: UInt16, seed: UInt64, isCutMade: Bool, stop: StopFlag) throws {
        self.cast = cast
        self.port = port
        self.stop = stop
        self.isCutMade = isCutMade
        random = SeededGenerator(seed: seed)
        keeper = try TrialDevice(cast.keeper, port: port)
        actor = try TrialDevice(cast.actor, port: port)
        talker = cast.talker.address == cast.actor.address ? actor : try TrialDevice(cast.talker, port: port)
        listener = try TrialDevice(cast.listener, port: port)
        console = try TrialDevice(cast.console, port: port, name: "\(seed % 1_000_000_007)")
    }

    func run() throws -> TrialOutcome {
        try assemble()
        var outcome = TrialOutcome(cut: cast.cut)
        startTalking()
        try pump("a first event to the one concerned") { lastOfConversation(listener) != nil }
        try talk(milliseconds: 10...120)
        let sentAt = MonotonicTime.now
        let repliedAt = try makeCut()
        try goOn(after: repliedAt)
        try awaitEverythingLater(&outcome)
        try settle(listener, &outcome)
        try checkSleeper(&outcome)
        judge(listener, "live", &outcome)
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
    private func assemble() throws {
        let sleeper = try TrialDevice(cast.sleeper, port: port, keepsSession: true)
        others = [sleeper]
        var topics: [Topic] = [.messages, .receipts, .typing, .info].map { .conversation(cast.conversation, $0) }
        let everybody = [keeper, talker, actor, listener, console, sleeper]
        try pump("CONNACK") { everybody.allSatisfy { $0.connection != nil } }
        for device in everybody {
            guard device.connection?.reason == 0 else { throw TrialFault.refused("CONNACK", "\(device.seat.address)") }
        }
        for device in [talker, actor, console] { device.subscribe([]) }
        keeper.subscribe(topics)
        topics += [.user(cast.concerned, .events)]
        // Only friends may hear it; nobody is refused, or is told.
        for device in [listener, sleeper] { device.subscribe(topics) }
        try pump("SUBACK") { everybody.allSatisfy { $0.subscription(1) != nil } }
        for device in [keeper, listener, sleeper] where device.subscription(1)?.contains(where: { $0 >= 0x80 }) == true
        {
            throw TrialFault.refused("SUBACK", "\(device.seat.address)")
        }
        sleeper.disconnect()
        try pump("the end of the sleeper's connection") { !sleeper.isOpen }
        others = []
    }

    private func startTalking() {
        nextWordAt = MonotonicTime.now
        talker.ask(StartTyping(conversation: cast.conversation))
        // Its end comes after the cut.
        boundary.laterToStop = [cast.talker.address.user]
    }

    private func say(_ device: TrialDevice) -> (id: MessageID, request: String) {
        let id = MessageID.random()
        let message = SendMessage(
            id: id, conversation: cast.conversation, type: .text, suite: .naclBox,
            content: [UInt8](repeating: 7, count: 64), nonce: [UInt8](repeating: 9, count: 24))
        return (id, device.ask(message))
    }
}

// MARK: The cut

extension Trial {
    /// Sends the cut, and on the same connection at once what must not be heard by the one concerned.
    ///
    /// - Returns: when the reply came.
    private func makeCut() throws -> Int64 {
        let driver: TrialDevice
        var requests: [any Request]
        switch cast.cut {
        case .remove:
            driver = keeper
            requests = [RemoveMember(conversation: cast.conversation, user: cast.concerned)]
        case .block:
            driver = keeper
            requests = [Block(user: cast.concerned)]
        case .leave:
            driver = actor
            requests = [LeaveConversation(conversation: cast.conversation)]
        case .revoke:
            driver = actor
            requests = [cast.listener, cast.sleeper].map { RevokeDevice(device: $0.address.device) }
        case .operatorRevoke:
            driver = console
            requests = [cast.listener, cast.sleeper].map { RevokeUserDevice(address: $0.address) }
        }
        if !isCutMade { requests = [ListDevices()] }
        boundary.laterUsers = [cast.keeper.address.user]
        if cast.cut == .revoke { boundary.laterUsers.insert(cast.concerned) }
        if cast.cut.endsDevices { boundary.revoked = [cast.listener.address.device, cast.sleeper.address.device] }

        let names = requests.map { driver.ask($0) }
        let marker = cast.cut == .remove || cast.cut == .revoke ? act(driver) : nil
        driver.flush()
        try pump("the reply to \(cast.cut.label)") { names.allSatisfy { driver.reply($0) != nil } }
        let replies = names.compactMap { driver.reply($0) }
        if let refused = replies.first(where: { !$0.isAccepted }) {
            throw TrialFault.refused(cast.cut.label, refused.code ?? "without a code")
        }
        // The conversation as the cut has left it: its last record tells of the cut.
        if isCutMade, let seq = replies.compactMap({ $0.integer("last_seq") }).min() { note(seq) }
        if let marker { try note(marker) }
        return replies.map(\.at).max() ?? MonotonicTime.now
    }

    /// Writes, types, reads and renames, none of which the one concerned may hear.
    private func act(_ device: TrialDevice) -> (device: TrialDevice, request: String) {
        device.ask(StartTyping(conversation: cast.conversation))
        let (id, request) = say(device)
        boundary.laterMessages.insert(id)
        device.ask(MarkReceipt(kind: .read, conversation: cast.conversation, message: id).request)
        if device === keeper, cast.cut != .block {
            boundary.laterName = "after"
            device.ask(UpdateConversation(conversation: cast.conversation, name: .set("after")))
        }
        return (device, request)
    }

    /// Everything from a message on that was sent after the cut is later.
    private func note(_ marker: (device: TrialDevice, request: String)) throws {
        try pump("the reply to a message") { marker.device.reply(marker.request) != nil }
        if let seq = marker.device.reply(marker.request)?.integer("seq") { note(seq) }
    }

    private func note(_ seq: Int) { boundary.firstSeq = min(boundary.firstSeq, seq) }
}

// MARK: After

extension Trial {
    private func goOn(after repliedAt: Int64) throws {
        let before = words.count
        talker.ask(StopTyping(conversation: cast.conversation))
        let marker = act(keeper)
        // A subscription made anew is judged like any other.
        let resubscribes = Bool.random(using: &random) && listener.isOpen && !cast.cut.endsDevices
        var number = 0
        if resubscribes {
            number = listener.subscribe([.conversation(cast.conversation, .messages)])
        }
        try talk(milliseconds: 10...60)
        nextWordAt = .max
        for word in words[before...] { boundary.laterMessages.insert(word.id) }
        try note(marker)
        if resubscribes { try pump("SUBACK") { self.listener.subscription(number) != nil || !self.listener.isOpen } }
    }

    /// Waits until the keeper has heard what the others may hear: now it has all been published.
    private func awaitEverythingLater(_ outcome: inout TrialOutcome) throws {
        try pump("replies to all messages") { self.words.allSatisfy { self.talker.reply($0.request) != nil } }
        let accepted = words.filter { talker.reply($0.request)?.isAccepted == true }.map(\.id)
        outcome.messages = accepted.count
        if cast.cut == .block {
            for id in accepted where boundary.laterMessages.contains(id) {
                outcome.breaches.append("a message was accepted after the block")
            }
            // Neither of the two hears the other.
            for event in keeper.heard where isFromTalkerLater(event) {
                outcome.breaches.append("the one who blocked heard \(event.content)")
            }
            try fence(keeper)
            return
        }
        let expected = Set(accepted)
        try pump("all messages to the others") {
            expected.isSubset(
                of: self.keeper.heard.compactMap { event in
                    if case .record(let id, _) = event.content { id } else { nil }
                })
        }
        try fence(keeper)
        for event in keeper.heard where boundary.isLater(event.content) {
            outcome.laterHeardByOthers.count(event.content)
        }
    }

    private func isFromTalkerLater(_ event: HeardEvent) -> Bool {
        switch event.content {
        case .record(let id, _): boundary.laterMessages.contains(id)
        case .typing(let user, let isTyping): !isTyping && boundary.laterToStop.contains(user)
        case .receipt, .info, .presence, .deviceRevoked, .other: false
        }
    }

    /// Waits for a reply that is published after everything so far, or for the end of the connection.
    private func fence(_ device: TrialDevice) throws {
        let name = device.ask(ListDevices())
        try pump("the last reply to \(device.seat.address)") { device.reply(name) != nil || !device.isOpen }
    }

    /// Waits until a device that was listening has had everything that there is for it.
    private func settle(_ device: TrialDevice, _ outcome: inout TrialOutcome) throws {
        if cast.cut.endsDevices, isCutMade {
            try pump("the end of a revoked device's connection") { !device.isOpen }
        } else {
            try fence(device)
            if !device.isOpen { outcome.breaches.append("a connection ended that nobody was to end") }
        }
    }

    private func checkSleeper(_ outcome: inout TrialOutcome) throws {
        let sleeper = try TrialDevice(cast.sleeper, port: port, keepsSession: true)
        others = [sleeper]
        defer { others = [] }
        try pump("CONNACK") { sleeper.connection != nil || !sleeper.isOpen }
        if cast.cut.endsDevices, isCutMade {
            if sleeper.connection?.reason == 0 { outcome.breaches.append("a revoked device signed in") }
            return
        }
        guard let connection = sleeper.connection, connection.reason == 0 else {
            throw TrialFault.refused("CONNACK", "\(cast.sleeper.address)")
        }
        guard connection.isSessionPresent else { throw TrialFault.noSession }
        try fence(sleeper)
        judge(sleeper, "queued", &outcome)
        outcome.heardQueued = sleeper.heard.count
    }

    private func judge(_ device: TrialDevice, _ what: String, _ outcome: inout TrialOutcome) {
        for event in device.heard where boundary.isLater(event.content) && !isOwnAct(event.content) {
            outcome.breaches.append("\(what): \(event.content) on \(event.topic)")
        }
    }

    /// Whoever was blocked hears what they do themselves, as after an unfollowing: here, that they have stopped typing.
    private func isOwnAct(_ content: HeardEvent.Content) -> Bool {
        switch content {
        case .typing(let user, _): cast.cut == .block && user == cast.concerned
        case .record, .receipt, .info, .presence, .deviceRevoked, .other: false
        }
    }

    private func lastOfConversation(_ device: TrialDevice) -> Int64? {
        let topics = "\(Topic.prefix)conversations/"
        return device.heard.last { $0.topic.hasPrefix(topics) }?.at
    }
}

// MARK: The loop

extension Trial {
    /// Lets the talker go on for a random time.
    private func talk(milliseconds: ClosedRange<Int64>) throws {
        let end = MonotonicTime.now + Int64.random(in: milliseconds, using: &random) * 1_000_000
        try pump("time") { MonotonicTime.now >= end }
    }

    /// Sends and reads on all connections until `isDone`.
    private func pump(_ what: @autoclosure () -> String, until isDone: () -> Bool) throws {
        let deadline = MonotonicTime.now + Trial.patience
        while !isDone() {
            if stop.isRaised { throw LoadFault.interrupted }
            guard MonotonicTime.now < deadline else { throw TrialFault.missing(what(), cast.cut) }
            if MonotonicTime.now >= nextWordAt {
                words.append(say(talker))
                nextWordAt = MonotonicTime.now + Int64.random(in: 500_000...3_000_000, using: &random)
            }
            var devices = [keeper, actor, listener, console] + others
            if talker !== actor { devices.append(talker) }
            devices.forEach { $0.flush() }
            var entries = devices.map(\.entry)
            guard try Socket.poll(&entries, milliseconds: nextWordAt == .max ? 20 : 1) > 0 else { continue }
            for (device, entry) in zip(devices, entries) where entry.revents != 0 { try device.receive() }
            devices.forEach { $0.flush() }
        }
    }
}
