import ParleyProtocol

/// The AsyncAPI 3.0 document of the protocol over MQTT, made of the tables of operations and events. It is
/// `docs/asyncapi.yaml`, written as a device sees it: a device sends requests and receives all else.
package enum AsyncAPIDocument {
    package static func make() throws(Rejection) -> String { YAML.text(of: try element()) }

    package static func element() throws(Rejection) -> JSONElement {
        var channels = AsyncAPIChannels()
        for request in OperationTable.all { try channels.append(request) }
        channels.appendRefusals()
        for event in EventTable.all { try channels.append(event) }
        channels.appendStatistics()
        let schemas = try channels.schemas.elements() + [OpenAPIErrors.schema]
        return .object(
            ("asyncapi", .string("3.0.0")), ("info", info), ("defaultContentType", .string("application/json")),
            ("servers", servers), ("channels", .object(channels.channels)),
            ("operations", .object(channels.operations)),
            (
                "components",
                .object(
                    ("schemas", .object(schemas.map(\.inDraft7))), ("parameters", .object(parameters)),
                    (
                        "securitySchemes",
                        .object(
                            (
                                "token",
                                .object(
                                    ("type", .string("userPassword")),
                                    (
                                        "description",
                                        .string("The user's id, and the device's token; the client id is `uid:did`.")
                                    ))
                            ))
                    ))
            ))
    }

    private static let info = JSONElement.object(
        ("title", .string("Parley")), ("version", .string("\(Topic.version)")),
        (
            "description",
            .string(
                "What devices and the gateway say over MQTT 5. A request's reply goes to its response topic, if that lies "
                    + "below the device's own `down/{uid}/{did}/`, else to the channels `…/accepted` and `…/rejected`. "
                    + "Times, limits and meanings are in protocol.md, the order of a client's steps in other-clients.md."
            )
        ))

    private static let servers = JSONElement.object(
        (
            "gateway",
            .object(
                ("host", .string("{host}:{port}")), ("protocol", .string("secure-mqtt")),
                ("protocolVersion", .string("5.0")),
                ("description", .string("On loopback a development's gateway speaks plain MQTT.")),
                (
                    "variables",
                    .object(
                        ("host", .object(("default", .string("localhost")))),
                        ("port", .object(("default", .string("8883")))))
                ), ("security", .array([.reference("token", in: "securitySchemes")]))
            )
        ))

    private static let parameters = [
        ("uid", "A user's id: 1 to 64 of `A-Z a-z 0-9 _ -`."), ("did", "A device's id, of the same form."),
        ("cid", "A conversation's id."), ("gid", "A group's id."), ("area", "The area of an operation."),
        ("verb", "The verb of an operation."), ("name", "The name of a number."),
    ].map { JSONElement.Member(key: $0.0, value: .object(("description", .string($0.1)))) }
}

extension JSONElement {
    /// JSON Schema of draft 7, which AsyncAPI 3.0 uses: a later draft has renamed a keyword.
    var inDraft7: JSONElement {
        switch self {
        case .object(let members): .object(members.map(\.inDraft7))
        case .array(let elements): .array(elements.map(\.inDraft7))
        case .string, .literal: self
        }
    }
}

extension JSONElement.Member {
    var inDraft7: JSONElement.Member {
        JSONElement.Member(key: key == "dependentRequired" ? "dependencies" : key, value: value.inDraft7)
    }
}
