import MQTTClient
import ParleyProtocol
import TestSupport

/// A device under load: sends, edits and deletes without pause, listens to its conversation, and keeps a log of it as
/// an app would, live and from history. It notes what must not happen.
///
/// Confined to its thread.
final class LoadedDevice {
    enum Habit: Sendable {
        /// Repeats each request until it has a reply, as protocol §4 wants it.
        case repeating
        /// Sends each request once and waits for its echo.
        case trusting
    }

    /// The log that it has seen.
    struct Record: Sendable {
        /// In the order of sending.
        var sent: [MessageID] = []
        /// The seq that the reply, or the echo, gave.
        var answers: [MessageID: Int] = [:]
        /// The messages that it has deleted.
        var deleted: Set<MessageID> = []
        /// The conversation: the record of seq 1 first.
        var log: [MessageID] = []
        var repeats = 0
        var reconnects = -1
        var faults: [String] = []
    }

    private let gateway: TestGateway
    private let credentials: DeviceCredentials
    private let conversation: ConversationID
    private let habit: Habit
    private let load: Load
    private(set) var record = Record()
    private var client: DeviceClient?
    private var outstanding: [(sending: Sending, sentAt: ContinuousClock.Instant)] = []
    /// Its own messages that are answered and not deleted.
    private var changeable: [MessageID] = []
    private let topic: String
    private var random: Seeded

    /// Requests without an answer at a time.
    private static let window = 16
    private static let repeatAfter = Duration.seconds(2)

    init(
        _ gateway: TestGateway, _ credentials: DeviceCredentials, _ conversation: ConversationID, _ habit: Habit,
        _ load: Load, _ random: Seeded
    ) {
        self.gateway = gateway
        self.credentials = credentials
        self.conversation = conversation
        self.habit = habit
        self.load = load
        self.random = random
        topic = Topic.conversation(conversation, .messages).name
    }

    /// Sends until the load ends and all is answered, and catches up when all devices have come so far.
    func run() throws -> Record {
        var hasDrained = false
        while !load.isDrained {
            try withConnection { client in
                try client.receive(timeout: .milliseconds(20))
                for message in client.takeAll() { try take(message, client) }
                try send(client)
            }
            if load.isEnded, outstanding.isEmpty, !hasDrained {
                hasDrained = true
                load.deviceHasDrained()
            }
            guard !load.hasGivenUp else { throw NeverCameError("answers to \(outstanding.count) requests") }
        }
        while true {
            var isDone = false
            try withConnection { client in
                try catchUp(client)
                isDone = true
            }
            if isDone { return record }
        }
    }

    // MARK: The connection

    /// Does something on the connection, which is made anew when it was lost.
    private func withConnection(_ body: (DeviceClient) throws -> Void) throws {
        do throws {
            if let client { return try body(client) }
            let client = try gateway.connect(credentials)
            record.reconnects += 1
            try client.listen(to: conversation.description, "messages")
            self.client = client
            // What comes from here on is live: everything before is in history.
            try catchUp(client)
            guard habit == .repeating else { return }
            for index in outstanding.indices {
                record.repeats += 1
                outstanding[index].sentAt = .now
                try ask(client, outstanding[index].sending)
            }
        } catch let error as MQTTError {
            guard error != .refused(ReasonCode(rawValue: 0x87)) else { throw error }
            client = nil
        }
    }

    /// Reads missing records from history, repeating requests without a reply.
    private func catchUp(_ client: DeviceClient) throws {
        var hasMore = true
        while hasMore {
            let fields: JSON = ["conversation_id": .string("\(conversation)"), "after": .int(record.log.count)]
            let asked = try client.ask("history/get", fields.with(["limit": 200]).bytes)
            guard let reply = try? client.reply(to: asked, within: .seconds(2)) else {
                try client.receive(timeout: .zero)
                guard !load.hasGivenUp else { throw NeverCameError("history") }
                continue
            }
            guard reply["ok"] == true else { continue }
            for message in reply["data"]["messages"].elements {
                guard let id = message["id"].text.flatMap({ MessageID($0) }), let seq = message["seq"].int else {
                    record.faults.append("a record of history without id or seq")
                    continue
                }
                if seq != record.log.count + 1 { record.faults.append("history: \(seq) after \(record.log.count)") }
                note(id, seq)
            }
            hasMore = reply["data"]["has_more"] == true
        }
    }

    // MARK: Sending

    private func send(_ client: DeviceClient) throws {
        if habit == .repeating {
            for index in outstanding.indices where .now - outstanding[index].sentAt > LoadedDevice.repeatAfter {
                record.repeats += 1
                outstanding[index].sentAt = .now
                try ask(client, outstanding[index].sending)
            }
        }
        while outstanding.count < LoadedDevice.window, !load.isEnded {
            let sending = next()
            record.sent.append(sending.id)
            outstanding.append((sending, .now))
            try ask(client, sending)
        }
    }

    private func ask(_ client: DeviceClient, _ sending: Sending) throws {
        try client.ask(sending.operation, sending.payload, as: sending.id.description)
    }

    /// Mostly a message, now and then a change of an earlier one of its own.
    private func next() -> Sending {
        switch (random.number(0...9), changeable.indices.randomElement(using: &random)) {
        case (0, let index?):
            return Sending(
                ChangeMessage(
                    id: .random(), conversation: conversation, message: changeable[index], change: .edit(sealed)))
        // An edit under way may be repeated, and must not come after the deletion.
        case (1, let index?) where !outstanding.contains { $0.sending.target == changeable[index] }:
            let target = changeable.remove(at: index)
            record.deleted.insert(target)
            return Sending(
                ChangeMessage(id: .random(), conversation: conversation, message: target, change: .delete))
        default:
            let sealed = sealed
            return Sending(
                SendMessage(
                    id: .random(), conversation: conversation, type: .text, suite: sealed.suite,
                    content: sealed.content, nonce: sealed.nonce, echoIsReply: habit == .trusting))
        }
    }

    private var sealed: SealedContent {
        SealedContent(
            suite: .naclBox, content: random.bytes(count: 64),
            nonce: [UInt8](repeating: 4, count: 24))
    }

    // MARK: Receiving

    private func take(_ message: DeviceClient.Message, _ client: DeviceClient) throws {
        guard let object = try? JSONObject(parsing: message.payload) else {
            return record.faults.append("no JSON on \(message.topic)")
        }
        guard message.topic == topic else { return take(replyWith: message.correlation, object) }
        guard let data = try object.object("data"), let seq = try data.integer("seq", in: 1...Int.max),
            let id: MessageID = try data.uuid("id")
        else { return record.faults.append("an event without id or seq") }
        if seq > record.log.count + 1 {
            record.faults.append("live: \(seq) after \(record.log.count)")
            try catchUp(client)
        }
        note(id, seq)
        if habit == .trusting { answered(id, seq) }
    }

    private func take(replyWith correlation: [UInt8]?, _ object: JSONObject) {
        // Replies that are no longer waited for are those of repeated reads.
        guard let id = correlation.flatMap({ MessageID(String(decoding: $0, as: UTF8.self)) }) else { return }
        guard let data = try? object.object("data"), let seq = try? data.integer("seq", in: 1...Int.max) else {
            let code = try? object.object("error")?.text("code", maximum: 64)
            if code != "unavailable" { record.faults.append("a request was refused: \(code ?? "no code")") }
            return
        }
        answered(id, seq)
    }

    private func answered(_ id: MessageID, _ seq: Int) {
        if let before = record.answers[id], before != seq { record.faults.append("\(id) is \(before) and \(seq)") }
        guard let index = outstanding.firstIndex(where: { $0.sending.id == id }) else { return }
        if outstanding.remove(at: index).sending.target == nil { changeable.append(id) }
        record.answers[id] = seq
    }

    /// Adds to the log; a known record must be the same.
    private func note(_ id: MessageID, _ seq: Int) {
        if seq == record.log.count + 1 {
            record.log.append(id)
        } else if seq <= record.log.count, record.log[seq - 1] != id {
            record.faults.append("\(seq) is \(record.log[seq - 1]) and \(id)")
        }
    }
}

/// A request of a device under load.
private struct Sending {
    let id: MessageID
    let operation: String
    let payload: [UInt8]
    /// The message that it changes; `nil` if it is one.
    let target: MessageID?

    init(_ message: SendMessage) {
        (id, operation, payload, target) = (message.id, "messages/send", message.payload(), nil)
    }

    init(_ change: ChangeMessage) {
        let request = change.request
        (id, payload, target) = (change.id, request.payload(), change.message)
        operation = "\(request.operation)"
    }
}
