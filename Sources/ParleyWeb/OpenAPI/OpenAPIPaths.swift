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
        var method = begin(id: resource.name, tag: resource.tag, resource.summary)
        var parameters: [JSONElement] = []
        for parameter in resource.parameters { parameters += try OpenAPIPaths.elements(of: parameter) }
        if !parameters.isEmpty { method.append("parameters", .array(parameters)) }
        if let body = resource.body {
            var shape = try OpenAPIPaths.shape(of: body.request)
            body.change(&shape)
            method.append("requestBody", self.body(shape))
        }
        switch resource.reply {
        case .object(let type):
            method.append("responses", try responses(resource.status, schemas.reference(to: type)))
        case .inline(let type):
            method.append("responses", try responses(resource.status, schemas.reply(try type.shape)))
        case .document:
            let object = JSONElement.object(("type", .string("object")))
            method.append("security", .array([]))
            method.append("responses", .object(("\(resource.status)", .object(success(object)))))
        }
        append(method, at: resource.template, resource.method)
    }

    private static func elements(of parameter: APIResource.Parameter) throws(Rejection) -> [JSONElement] {
        switch parameter {
        case .idempotencyKey: [idempotencyKey]
        case .path(let schema): [self.parameter("id", in: "path", schema)]
        case .fields(let names, let request): try query(request, names)
        case .query(let name, let schema): [self.parameter(name, in: "query", schema)]
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

    // MARK: Blobs

    mutating func appendBlobs() {
        for (path, name, method) in OpenAPIBlobs.methods(id: schemas.element(BlobID.schema)) {
            append(method, at: path, name)
        }
    }

    // MARK: Methods

    private mutating func begin(id: String, tag: String, _ summary: String) -> JSONElement {
        if !tagNames.contains(tag) { tagNames.append(tag) }
        return .object(
            ("operationId", .string(id)), ("tags", .strings([tag])), ("summary", .string(summary)))
    }

    private mutating func append(_ method: JSONElement, at path: String, _ name: APIMethod) {
        append(method, at: path, name.rawValue.lowercased())
    }

    private mutating func append(_ method: JSONElement, at path: String, _ name: String) {
        let path = APIResource.base + path
        let member = JSONElement.Member(key: name, value: method)
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
    static func replySchema(_ schemas: inout SchemaComponents) -> JSONElement {
        if let type = Reply.self as? any GatewayObject.Type { return schemas.reference(to: type) }
        if let type = Reply.self as? any DescribedFields.Type, let members = type.variants.first {
            return schemas.element(FieldSchema(.members(members)))
        }
        return .object(("type", .string("object")))
    }
}
