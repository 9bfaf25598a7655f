import ParleyProtocol

/// The paths of the document, and the schemas that they reference.
struct OpenAPIPaths {
    private var items: [(path: String, methods: [JSONElement.Member])] = []
    private var tagNames: [String] = []
    private(set) var schemas = SchemaComponents()

    var members: [JSONElement.Member] {
        items.map { JSONElement.Member(key: $0.path, value: .object($0.methods)) }
    }

    var tags: [JSONElement] { tagNames.map { .object(("name", .string($0))) } }

    // MARK: Operations

    /// The path of an operation.
    mutating func append(_ request: any Request.Type) throws(Rejection) {
        let operation = request.operation
        var method = begin(
            id: "\(operation.area)_\(operation.verb)", tag: operation.area,
            OperationSummaries.summary(of: operation)
                + (request.isForOperators ? " For operators." : ""))
        if request.namesWhatItMakes { method.append("parameters", .array([OpenAPIPaths.idempotencyKey])) }
        if request.askers == .doors { method.append("security", .array([])) }
        method.append("requestBody", try body(of: request))
        method.append("responses", try responses(request.hasReply ? 200 : 202, envelope(request.replySchema(&schemas))))
        append(method, at: "\(operation)", .post)
    }

    /// The fields of an operation as its path takes them.
    private static func shape(of request: any Request.Type) throws(Rejection) -> ObjectShape {
        var shape = try request.shape
        if request.namesWhatItMakes { shape.makeOptional("id") }
        // The door adds the client's address.
        if request.askers == .doors { shape.remove(ClientNetwork.field) }
        if request == SendMessage.self { shape.keepNames(of: "reply") { $0 != "event" } }
        return shape
    }

    private mutating func body(of request: any Request.Type) throws(Rejection) -> JSONElement {
        let shape = try OpenAPIPaths.shape(of: request)
        return body(shape)
    }

    /// A body without required fields may be empty.
    private mutating func body(_ shape: ObjectShape) -> JSONElement {
        let isRequired = !shape.required.isEmpty || !shape.alternatives.isEmpty
        return .object(
            ("required", .literal("\(isRequired)")), ("content", .json(schemas.request(shape))))
    }

    /// The reply of protocol §4 around its data.
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

    // MARK: Resources

    mutating func append(_ resource: APIResource) throws(Rejection) {
        var method = begin(id: "\(resource)", tag: resource.tag, resource.summary)
        let parameters = try parameters(of: resource)
        if !parameters.isEmpty { method.append("parameters", .array(parameters)) }
        if let body = try body(of: resource) { method.append("requestBody", body) }
        let reply = try reply(of: resource)
        switch resource {
        case .document:
            method.append("security", .array([]))
            method.append("responses", .object(("200", .object(success(reply)))))
        case .ticket, .publishPublicKey, .ownPublicKey, .publicKey, .createConversation, .listConversations,
            .sendMessage, .history, .markRead:
            method.append("responses", try responses(resource.status, reply))
        }
        append(method, at: resource.template, resource.method)
    }

    private func parameters(of resource: APIResource) throws(Rejection) -> [JSONElement] {
        switch resource {
        case .document, .ticket, .publishPublicKey, .ownPublicKey: []
        case .publicKey: [OpenAPIPaths.parameter("id", in: "path", .user)]
        case .createConversation, .sendMessage: [OpenAPIPaths.idempotencyKey]
        case .listConversations: try OpenAPIPaths.query(ListConversations.self, ["limit", "offset", "archived"])
        case .history:
            [OpenAPIPaths.parameter("id", in: "path", ConversationID.schema)]
                + (try OpenAPIPaths.query(GetHistory.self, ["limit"]))
                + [OpenAPIPaths.parameter("before", in: "query", MessageID.schema)]
        case .markRead: [OpenAPIPaths.parameter("id", in: "path", ConversationID.schema)]
        }
    }

    private mutating func body(of resource: APIResource) throws(Rejection) -> JSONElement? {
        guard resource.method == .post, let request = resource.request else { return nil }
        var shape = try OpenAPIPaths.shape(of: request)
        switch resource {
        case .publishPublicKey:
            shape.rename("identity_key", to: "public_key")
        case .sendMessage:
            shape.makeOptional("suite")
        case .markRead:
            shape.remove("conversation_id")
        case .createConversation, .document, .ticket, .ownPublicKey, .publicKey, .listConversations, .history:
            break
        }
        return body(shape)
    }

    private mutating func reply(of resource: APIResource) throws(Rejection) -> JSONElement {
        switch resource {
        case .document: .object(("type", .string("object")))
        case .ticket:
            schemas.element(.members(.init("ticket", .text(1...16_384)), .init("expires_in", .integer(1...60))))
        case .publishPublicKey, .ownPublicKey, .publicKey:
            schemas.element(
                .members(
                    .init("user_id", .user), .init("public_key", .base64(32...32)),
                    .init("created_at", Timestamp.schema),
                    .init("devices", .array(FieldSchema(.object(DeviceKeys.self)), 0...Int.max))))
        case .createConversation: schemas.reference(to: Conversation.self)
        case .listConversations: schemas.reference(to: ConversationList.self)
        case .sendMessage: schemas.reference(to: MessageRecord.self)
        case .history:
            schemas.page(of: MessageRecord.self)
        case .markRead: schemas.reference(to: Watermark.self)
        }
    }

    /// The fields of an operation that are parameters of a query.
    private static func query(
        _ request: any Request.Type, _ names: [String]
    ) throws(Rejection) -> [JSONElement] {
        let shape = try request.shape
        return names.compactMap { name in
            shape.fields.first { $0.name == name }.map { parameter(name, in: "query", $0.schema, usual: $0.usual) }
        }
    }

    private static func parameter(
        _ name: String, in place: String, _ schema: FieldSchema, usual: String? = nil
    ) -> JSONElement {
        var schemas = SchemaComponents()
        var element = schemas.element(schema)
        if let usual { element.append("default", .literal(usual)) }
        return .object(
            ("name", .string(name)), ("in", .string(place)), ("required", .literal("\(place == "path")")),
            ("schema", element))
    }

    // MARK: Methods

    private mutating func begin(id: String, tag: String, _ summary: String) -> JSONElement {
        if !tagNames.contains(tag) { tagNames.append(tag) }
        return .object(
            ("operationId", .string(id)), ("tags", .strings([tag])), ("summary", .string(summary)))
    }

    private mutating func append(_ method: JSONElement, at path: String, _ name: APIMethod) {
        let path = APIResource.base + path
        let member = JSONElement.Member(key: name.rawValue.lowercased(), value: method)
        if let index = items.firstIndex(where: { $0.path == path }) {
            items[index].methods.append(member)
        } else {
            items.append((path, [member]))
        }
    }

    private func responses(_ status: Int, _ schema: JSONElement) throws(Rejection) -> JSONElement {
        .object([JSONElement.Member(key: "\(status)", value: .object(success(schema)))] + OpenAPIErrors.references)
    }

    private func success(_ schema: JSONElement) -> [JSONElement.Member] {
        [
            JSONElement.Member(key: "description", value: .string("Done.")),
            JSONElement.Member(key: "content", value: .json(schema)),
        ]
    }

    private static let idempotencyKey = JSONElement.reference("IdempotencyKey", in: "parameters")
}

extension Request {
    /// The schema of a reply's data.
    fileprivate static func replySchema(_ schemas: inout SchemaComponents) -> JSONElement {
        if let type = Reply.self as? any GatewayObject.Type { return schemas.reference(to: type) }
        if let type = Reply.self as? any DescribedFields.Type, let members = type.variants.first {
            return schemas.element(FieldSchema(.members(members)))
        }
        return .object(("type", .string("object")))
    }
}

extension SchemaComponents {
    /// A page in the form of the older guide.
    fileprivate mutating func page(of record: any GatewayObject.Type) -> JSONElement {
        let cursor = element(MessageID.schema, isNullable: true)
        return .object(
            ("type", .string("object")),
            (
                "properties",
                .object(
                    ("messages", .object(("type", .string("array")), ("items", reference(to: record)))),
                    ("has_more", element(.boolean)), ("next_cursor", cursor))
            ), ("required", .strings(["messages", "has_more", "next_cursor"])))
    }
}
