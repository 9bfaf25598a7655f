import ParleyProtocol

/// The OpenAPI 3.1 document of the API, made of the table of operations and that of resources.
package enum OpenAPIDocument {
    /// Built once. A list of fields without a description is a fault, which a test finds.
    package static let response: APIResponse = {
        guard let bytes = try? make() else { return APIResponse(.internalFault) }
        return APIResponse(status: 200, body: bytes)
    }()

    package static func make() throws(Rejection) -> [UInt8] {
        var writer = JSONWriter()
        writer.element(try element())
        return writer.finish()
    }

    private static func element() throws(Rejection) -> JSONElement {
        var paths = OpenAPIPaths()
        for resource in APIResource.all { try paths.append(resource) }
        paths.appendBlobs()
        for request in OperationTable.forClients { try paths.append(request) }
        let schemas = try paths.schemas.elements()
        return .object(
            ("openapi", .string("3.1.0")), ("info", info), ("servers", .array([.object(("url", .string("/")))])),
            ("security", .array([.object((securityScheme, .array([])))])), ("tags", .array(paths.tags)),
            ("paths", .object(paths.members)),
            (
                "components",
                .object(
                    ("schemas", .object(schemas + [OpenAPIErrors.schema])),
                    ("responses", .object(OpenAPIErrors.responses)), ("parameters", .object([idempotencyKey])),
                    (
                        "securitySchemes",
                        .object(
                            (
                                securityScheme,
                                .object(
                                    ("type", .string("http")), ("scheme", .string("bearer")),
                                    ("description", .string("The access token of a device.")))
                            ))
                    ))
            ))
    }

    private static let securityScheme = "token"

    private static let info = JSONElement.object(
        ("title", .string("Parley")), ("version", .string(parleyVersion)),
        (
            "description",
            .string(
                "A messaging gateway over HTTP. Every operation of the gateway has a path; beside them stand resources "
                    + "in the shapes that older apps know, and the uploads and downloads of blobs. What happens is heard over the WebSocket `/ws`."
            )
        ))

    /// The parameter of requests that make objects.
    private static let idempotencyKey = JSONElement.Member(
        key: "IdempotencyKey",
        value: .object(
            ("name", .string("Idempotency-Key")), ("in", .string("header")),
            (
                "description",
                .string(
                    "Names the request, so that a repeat of it makes nothing twice: without an `id` in the body, the id "
                        + "of what is made follows from the key.")
            ), ("schema", APIIdempotency.schema)))
}

private enum APIIdempotency {
    static let schema = JSONElement.object(
        ("type", .string("string")), ("minLength", .number(IdempotencyKey.lengths.lowerBound)),
        ("maxLength", .number(IdempotencyKey.lengths.upperBound)), ("pattern", .string("^[!-~]+$")))
}

extension SchemaComponents {
    /// All referenced objects, and those that they reference.
    func elements() throws(Rejection) -> [JSONElement.Member] {
        var all = self
        var elements: [String: JSONElement] = [:]
        while let name = all.objects.keys.filter({ elements[$0] == nil }).min(), let type = all.objects[name] {
            elements[name] = all.reply(try type.shape)
        }
        return elements.sorted { $0.key < $1.key }.map { JSONElement.Member(key: $0.key, value: $0.value) }
    }
}

extension GatewayObject {
    static var shape: ObjectShape {
        get throws(Rejection) {
            var shape = try ObjectShape(of: Self.self)
            // Two objects get a user's id that is not in their lists: whom a follow was of, and who has changed a
            // challenge, in its event alone.
            if Self.self == FollowCounts.self { shape.insert("user_id", .user, isAlwaysWritten: true) }
            if Self.self == Challenge.self { shape.insert("user_id", .user, isAlwaysWritten: false) }
            return shape
        }
    }
}
