import ParleyProtocol

/// The gateway without its lies and without a network: a request goes in, its reply and what is published come out.
package struct HonestGateway: Sendable {
    private var world: World

    package init() throws { world = try World() }

    /// An event on its way to those who have subscribed to its topic.
    package struct Event: Hashable, Sendable {
        package let topic: String
        package let payload: [UInt8]
    }

    /// Lets somebody exist whose devices connect.
    package mutating func register(_ user: UserID) { world.register(user) }

    /// Lets somebody exist whom the test plays: with one device, `phone`, and an account key.
    package mutating func add(_ user: UserID) throws { try world.add(user, hasAccount: true) }

    /// - Returns: no reply where none is wanted, or an event is as good.
    package mutating func answer(
        _ operation: Operation, _ payload: [UInt8], from device: DeviceAddress
    ) -> (reply: [UInt8]?, events: [Event]) {
        let answer = world.answer(operation, payload, from: device)
        return (answer.reply, answer.events.map(Event.init))
    }

    /// Somebody whom the test plays writes to a device, in the conversation of the two.
    package mutating func say(_ text: String, by user: UserID, to device: DeviceAddress) throws -> [Event] {
        try world.say(text, by: user, to: device).map(Event.init)
    }

    /// Somebody whom the test plays writes to a device, and nothing is published of it.
    package mutating func write(_ text: String, by user: UserID, to device: DeviceAddress) throws -> MessageRecord? {
        guard let phone = world.people[user]?.phone else { return nil }
        let thread = try world.directThread(of: user, device.user)
        guard let record = try world.seal(text, by: phone.address, with: phone, in: thread, to: device) else {
            return nil
        }
        _ = world.append(record, to: thread)
        return record
    }

    /// An event that the test makes.
    package static func event(_ topic: Topic, _ write: (inout JSONWriter) -> Void) -> Event {
        var writer = JSONWriter()
        write(&writer)
        return Event(topic: topic.name, payload: writer.finish())
    }

    /// The messages of which their senders want others notified in quiet hours, too.
    package var urgent: Set<MessageID> { world.urgent }

    /// By what devices are reached that are not connected.
    package var pushTargets: [DeviceAddress: PushTarget] { world.pushTargets }

    /// Answers registrations for pushes so from now on; `nil` takes them.
    package mutating func refusePushes(_ rejection: Rejection?) { world.pushRefusal = rejection }

    /// What those whom the test plays could open, in the order in which the gateway took it.
    package var heard: [String] { world.heard.map(\.text) }

    /// What was reported of days, in the order in which the gateway took it, repeats included.
    package var reports: [ReportMetrics] { world.reports }

    /// Answers reports of days so from now on; `nil` takes them.
    package mutating func refuseReports(_ rejection: Rejection?) { world.reportRefusal = rejection }

    /// The ids of all records of a conversation, in its order.
    package func records(of conversation: ConversationID) -> [MessageID] {
        world.threads[conversation]?.records.map(\.id) ?? []
    }
}

extension HonestGateway.Event {
    init(_ publication: Publication) { self.init(topic: publication.topic, payload: publication.payload) }
}
