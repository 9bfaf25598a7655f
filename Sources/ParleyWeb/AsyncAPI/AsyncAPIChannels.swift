import ParleyProtocol

/// The channels of the document, the operations on them, and the schemas that they reference.
struct AsyncAPIChannels {
    private(set) var operations: [JSONElement.Member] = []
    private(set) var schemas = SchemaComponents()
    private var topics: [(name: String, address: String, messages: [JSONElement.Member])] = []

    var channels: [JSONElement.Member] {
        topics.map { topic in
            let names = topic.address.split(separator: "{").dropFirst().map { String($0.prefix { $0 != "}" }) }
            var channel = JSONElement.object(
                ("address", .string(Topic.prefix + topic.address)), ("messages", .object(topic.messages)))
            if !names.isEmpty {
                let parameters = names.map {
                    JSONElement.Member(key: $0, value: .reference($0, in: "parameters"))
                }
                channel.append("parameters", .object(parameters))
            }
            return JSONElement.Member(key: topic.name, value: channel)
        }
    }

    // MARK: Requests

    mutating func append<Asked: Request>(_ request: Asked.Type) throws(Rejection) {
        let operation = Asked.operation
        let name = "\(operation.area)_\(operation.verb)"
        let payload = schemas.request(try Asked.shape).inDraft7
        append(
            "request", payload: payload, example: try Asked.sample().json,
            to: name, "up/{uid}/{did}/\(operation)")
        var element = JSONElement.object(
            ("action", .string("send")), ("channel", AsyncAPIChannels.reference(name)),
            ("summary", .string(OperationSummaries.summary(of: operation) + AsyncAPIChannels.remark(on: Asked.askers))),
            ("messages", .array([AsyncAPIChannels.reference("request", of: name)])),
            ("bindings", AsyncAPIChannels.bindings(qos: Asked.hasReply ? 1 : 0, isRetained: false)))
        if Asked.hasReply {
            let replies = name + "_accepted"
            append(
                "reply", payload: envelope(Asked.replySchema(&schemas)), example: nil,
                to: replies, "down/{uid}/{did}/\(operation)/\(ReplyOutcome.accepted.rawValue)")
            element.append(
                "reply",
                .object(
                    ("channel", AsyncAPIChannels.reference(replies)),
                    ("messages", .array([AsyncAPIChannels.reference("reply", of: replies)]))))
        }
        operations.append(JSONElement.Member(key: name, value: element))
    }

    private static func remark(on askers: Askers) -> String {
        switch askers {
        case .everyone: ""
        case .operators: " For operators."
        case .doors, .doorsAlone: " For web doors."
        }
    }

    /// The accepted reply around its data (protocol §4).
    private func envelope(_ data: JSONElement) -> JSONElement {
        .object(
            ("type", .string("object")),
            (
                "properties",
                .object(
                    ("request_id", SchemaComponents.requestID), ("ok", .object(("const", .literal("true")))),
                    ("data", data))
            ), ("required", .strings(["request_id", "ok", "data"])))
    }

    mutating func appendRefusals() {
        let name = "rejected"
        append(
            "reply", payload: .reference("Error"), example: nil,
            to: name, "down/{uid}/{did}/{area}/{verb}/\(ReplyOutcome.rejected.rawValue)")
        receive(name, ["reply"], "A request was refused.", qos: 1, isRetained: false)
    }

    // MARK: Events

    mutating func append<Event: PublishedEvent>(_ event: Event.Type) throws(Rejection) {
        let data = try AsyncAPIChannels.data(of: event)
        let example = try data.sample().json
        let reference = schemas.reference(to: data)
        for topic in try AsyncAPIChannels.topics(of: event) {
            let address = AsyncAPIChannels.address(of: topic)
            let name = address.split(separator: "/").filter { !$0.hasPrefix("{") }.joined(separator: "_")
            for type in Event.names {
                let payload = JSONElement.object(
                    ("type", .string("object")),
                    ("properties", .object(("type", .object(("const", .string(type)))), ("data", reference))),
                    ("required", .strings(["type", "data"])))
                let text = #"{"type":"\#(type)","data":"# + String(decoding: example, as: UTF8.self) + "}"
                append(
                    type, payload: payload, example: type == Event.names[0] ? Array(text.utf8) : nil, to: name, address)
            }
            let qos = event == TypingIndicator.self ? 0 : 1
            receive(name, Event.names, "What is published on `\(address)`.", qos: qos, isRetained: Event.isRetained)
        }
    }

    /// The list of the fields of an event's data.
    private static func data(of event: any PublishedEvent.Type) throws(Rejection) -> any GatewayObject.Type {
        switch event {
        case is PersonNotice.Type: return KeysChange.self
        case is GroupMemberEvent.Type: return GroupMemberChange.self
        default:
            guard let type = event as? any GatewayObject.Type else { throw .internalFault }
            return type
        }
    }

    private static func topics(of event: any PublishedEvent.Type) throws(Rejection) -> [Topic] {
        let sample = try data(of: event).sample()
        switch (event, sample) {
        case (let event as any PersonalEvent.Type, _):
            return [.user("u", event.channel)]
        case (_, let change as GroupMemberChange):
            return [.group(change.group, .events)]
        case (_, let board as Leaderboard):
            // Each type of board has a channel of its own.
            return [.group(board.group, .checkIns), .group(board.group, .streak)]
        case (_, let event as any AddressedEvent):
            return [event.topic]
        default:
            throw .internalFault
        }
    }

    private static func address(of topic: Topic) -> String {
        switch topic {
        case .conversation(_, let channel): "conversations/{cid}/\(channel.rawValue)"
        case .group(_, let channel): "groups/{gid}/\(channel.rawValue)"
        case .user(_, let channel): "users/{uid}/\(channel.rawValue)"
        case .up, .down, .gatewayStatus, .gatewayStats: String(topic.name.dropFirst(Topic.prefix.count))
        }
    }

    mutating func appendStatistics() {
        let name = "gateway_stats"
        append("number", payload: .object(("type", .string("number"))), example: nil, to: name, "gateway/stats/{name}")
        receive(name, ["number"], "A number of the gateway's. For operators.", qos: 0, isRetained: true)
    }

    // MARK: Members

    private mutating func append(
        _ message: String, payload: JSONElement, example: [UInt8]?, to name: String, _ address: String
    ) {
        var element = JSONElement.object(("payload", payload))
        if let example {
            let payload = JSONElement.literal(String(decoding: example, as: UTF8.self))
            element.append("examples", .array([.object(("payload", payload))]))
        }
        let member = JSONElement.Member(key: message, value: element)
        if let index = topics.firstIndex(where: { $0.name == name }) {
            topics[index].messages.append(member)
        } else {
            topics.append((name, address, [member]))
        }
    }

    /// Adds messages to what a device receives on a channel.
    private mutating func receive(_ name: String, _ messages: [String], _ summary: String, qos: Int, isRetained: Bool) {
        let key = "receive_\(name)"
        operations.removeAll { $0.key == key }
        let all = topics.first { $0.name == name }?.messages.map(\.key) ?? messages
        operations.append(
            JSONElement.Member(
                key: key,
                value: .object(
                    ("action", .string("receive")), ("channel", AsyncAPIChannels.reference(name)),
                    ("summary", .string(summary)),
                    ("messages", .array(all.map { AsyncAPIChannels.reference($0, of: name) })),
                    ("bindings", AsyncAPIChannels.bindings(qos: qos, isRetained: isRetained)))))
    }

    private static func bindings(qos: Int, isRetained: Bool) -> JSONElement {
        .object(("mqtt", .object(("qos", .number(qos)), ("retain", .literal("\(isRetained)")))))
    }

    private static func reference(_ channel: String) -> JSONElement {
        .object(("$ref", .string("#/channels/\(channel)")))
    }

    private static func reference(_ message: String, of channel: String) -> JSONElement {
        .object(("$ref", .string("#/channels/\(channel)/messages/\(message)")))
    }
}

extension GatewayObject {
    /// An object of the type: with as many of its optional fields as go together.
    fileprivate static func sample() throws(Rejection) -> Self {
        var all = FieldListing<Self>(ListingCase())
        let failure: Rejection
        do throws(Rejection) {
            let object = try Self(fields: &all)
            let surplus = Set(all.exclusive.flatMap { $0.dropFirst() })
            guard !surplus.isEmpty else { return object }
            var rest = FieldListing<Self>(ListingCase(options: Set(all.options).subtracting(surplus)))
            return try Self(fields: &rest)
        } catch {
            failure = error
        }
        for option in all.options {
            var one = FieldListing<Self>(ListingCase(options: [option]))
            if let object = try? Self(fields: &one) { return object }
        }
        throw failure
    }
}
