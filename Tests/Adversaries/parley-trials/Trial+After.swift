import GatewaySite
import ParleyProtocol

// The events after the cut, and the faults among them.

extension Trial {
    func goOn(after repliedAt: Int64) throws {
        let before = messages.count
        try talker.ask(StopTyping(conversation: cast.conversation))
        let marker = try act(keeper)
        // A subscription made anew is judged like any other.
        let resubscribes = Bool.random(using: &random) && listener.isOpen && !cast.cut.endsDevices
        var number = 0
        if resubscribes {
            number = try listener.subscribe([.conversation(cast.conversation, .messages)])
        }
        try talk(milliseconds: 10...60)
        nextMessageAt = .max
        for message in messages[before...] { boundary.laterMessages.insert(message.id) }
        try markLater(from: marker)
        if resubscribes { try pump("SUBACK") { self.listener.subscription(number) != nil || !self.listener.isOpen } }
    }

    /// Waits until the keeper has heard all events: now they are published.
    func awaitEverythingLater(_ outcome: inout TrialOutcome) throws {
        try pump("replies to all messages") { self.messages.allSatisfy { self.talker.reply($0.request) != nil } }
        let accepted = messages.filter { talker.reply($0.request)?.isAccepted == true }.map(\.id)
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

    func isFromTalkerLater(_ event: HeardEvent) -> Bool {
        switch event.content {
        case .record(let id, _): boundary.laterMessages.contains(id)
        case .typing(let user, let isTyping): !isTyping && boundary.laterToStop.contains(user)
        case .receipt, .info, .presence, .deviceRevoked, .other: false
        }
    }

    /// Waits for a reply that is published after everything so far, or for the end of the connection.
    func fence(_ device: TrialDevice) throws {
        let name = try device.ask(ListDevices())
        try pump("the last reply to \(device.seat.address)") { device.reply(name) != nil || !device.isOpen }
    }

    /// Waits for an answer of the broker's own, behind all that it has sent.
    private func fenceAtBroker(_ device: TrialDevice) throws {
        guard device.isOpen else { return }
        let number = try device.subscribe([])
        try pump("SUBACK") { device.subscription(number) != nil || !device.isOpen }
    }

    /// Waits until a device that was listening has had everything that there is for it.
    func settle(_ device: TrialDevice, _ outcome: inout TrialOutcome) throws {
        if cast.cut.endsDevices, isCutMade {
            try pump("the end of a revoked device's connection") { !device.isOpen }
        } else {
            try fence(device)
            if !device.isOpen, ports.areApart { throw TrialError.unavailable(cast.cut.label) }
            if !device.isOpen { outcome.breaches.append("a connection ended that nobody was to end") }
        }
    }

    func checkSleeper(_ outcome: inout TrialOutcome) throws {
        let sleeper = try TrialDevice(cast.sleeper, port: ports.listener, keepsSession: true)
        others = [sleeper]
        defer { others = [] }
        try pump("CONNACK") { sleeper.connection != nil || !sleeper.isOpen }
        if cast.cut.endsDevices, isCutMade {
            if sleeper.connection?.reason == 0 { outcome.breaches.append("a revoked device signed in") }
            return
        }
        if sleeper.connection == nil, ports.areApart { throw TrialError.unavailable(cast.cut.label) }
        guard let connection = sleeper.connection, connection.reason == 0 else {
            throw TrialError.refused("CONNACK", "\(cast.sleeper.address)")
        }
        guard connection.isSessionPresent else { throw TrialError.noSession }
        try fence(sleeper)
        judge(sleeper, "queued", &outcome)
        outcome.heardQueued = sleeper.heard.count
    }

    /// The device that hears nothing of the conversation after the reply, whenever that was sent.
    private var silenced: TrialDevice { cast.cut == .block ? keeper : listener }

    /// What the broker has sent until now came before the reply.
    func markSilence() throws {
        try fenceAtBroker(silenced)
        heardAtReply = silenced.heard.count
    }

    /// Waits until the device that is to hear nothing has heard what the operator says elsewhere, at the other broker
    /// and after all the rest.
    func awaitLastWord() throws {
        guard ports.areApart, silenced.isOpen else { return }
        var last = try send(console, to: cast.aside)
        // Neighbours may be in the way of one: it was not said.
        while try isRefused(last.request) { last = try send(console, to: cast.aside) }
        try pump("the last word, which was accepted,") {
            !self.silenced.isOpen
                || self.silenced.heard.contains { event in
                    if case .record(last.id, _) = event.content { true } else { false }
                }
        }
    }

    private func isRefused(_ request: String) throws -> Bool {
        try pump("the reply to the last word") { self.console.reply(request) != nil }
        return self.console.reply(request)?.isAccepted == false
    }

    func judgeSilence(_ outcome: inout TrialOutcome) {
        guard let heardAtReply else { return }
        for event in silenced.heard.dropFirst(heardAtReply) where event.topic.hasPrefix(topicsOfConversation) {
            switch event.content {
            case .record, .receipt: outcome.breaches.append("after the reply: \(event.content) on \(event.topic)")
            case .typing, .info, .presence, .deviceRevoked, .other: break
            }
        }
    }

    func judge(_ device: TrialDevice, _ what: String, _ outcome: inout TrialOutcome) {
        for event in device.heard where boundary.isLater(event.content) && !isOwnAct(event.content) {
            outcome.breaches.append("\(what): \(event.content) on \(event.topic)")
        }
    }

    /// Whoever was blocked hears what they do themselves, as after an unfollowing: here, that they have stopped typing.
    func isOwnAct(_ content: HeardEvent.Content) -> Bool {
        switch content {
        case .typing(let user, _): cast.cut == .block && user == cast.concerned
        case .record, .receipt, .info, .presence, .deviceRevoked, .other: false
        }
    }

    private var topicsOfConversation: String { "\(Topic.prefix)conversations/\(cast.conversation)/" }

    func lastOfConversation(_ device: TrialDevice) -> Int64? {
        device.heard.last { $0.topic.hasPrefix(topicsOfConversation) }?.at
    }
}
