import ParleyProtocol

/// The refusals of the API: one response for each status, with its codes.
enum OpenAPIErrors {
    /// The refusal of a body with another type than JSON, beside those of codes.
    private static let contentTypeStatus = 415

    static let statuses = Set(ErrorCode.allCases.map(\.httpStatus) + [contentTypeStatus]).sorted()

    private static func name(_ status: Int) -> String { "Error\(status)" }

    /// A path's references to them.
    static let references = statuses.map {
        JSONElement.Member(key: "\($0)", value: .reference(name($0), in: "responses"))
    }

    static let responses = statuses.map { status in
        JSONElement.Member(key: name(status), value: response(status))
    }

    private static func response(_ status: Int) -> JSONElement {
        let codes = ErrorCode.allCases.filter { $0.httpStatus == status }
        let text = codes.map { "`\($0.rawValue)`: \($0.meaning)." }.joined(separator: "\n\n")
        var response = JSONElement.object(
            ("description", .string(text.isEmpty ? "The body is not `application/json`." : text)),
            ("content", .json(.reference("Error"))))
        if codes.contains(where: \.namesRetry) {
            response.append("headers", .object(("Retry-After", header("In seconds.", type: "integer"))))
        }
        if codes.contains(.unauthenticated) {
            response.append("headers", .object(("WWW-Authenticate", header("`Bearer`.", type: "string"))))
        }
        return response
    }

    private static func header(_ description: String, type: String) -> JSONElement {
        .object(("description", .string(description)), ("schema", .object(("type", .string(type)))))
    }

    /// The body of every refusal (protocol §4).
    static let schema: JSONElement.Member = {
        var schemas = SchemaComponents()
        let device = schemas.element(.members(.init("user_id", .user), .init("device_id", .device)))
        let devices = JSONElement.object(("type", .string("array")), ("items", device))
        let error = JSONElement.object(
            ("type", .string("object")),
            (
                "properties",
                .object(
                    ("code", schemas.element(FieldSchema(.name(ErrorCode.allCases.map(\.rawValue))))),
                    ("message", .object(("type", .string("string")))),
                    ("retry_after_ms", schemas.element(.integer(0...Int.max))), ("missing", devices),
                    ("extra", devices))
            ), ("required", .strings(["code", "message"])))
        return JSONElement.Member(
            key: "Error",
            value: .object(
                ("type", .string("object")),
                (
                    "properties",
                    .object(
                        ("request_id", SchemaComponents.requestID), ("ok", .object(("const", .literal("false")))),
                        ("error", error))
                ), ("required", .strings(["request_id", "ok", "error"]))))
    }()
}

extension JSONElement {
    /// A body of JSON.
    static func json(_ schema: JSONElement) -> JSONElement {
        .object(("application/json", .object(("schema", schema))))
    }
}
