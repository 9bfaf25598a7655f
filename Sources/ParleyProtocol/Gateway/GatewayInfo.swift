/// `gateway/info`: the gateway's version, limits and operations.
public struct GetGatewayInfo: Query, EmptyRequest {
    public static let operation = Operation(validatedArea: "gateway", verb: "info")
    public typealias Reply = GatewayInfo

    public init() {}
}

/// The `data` of the reply: `version, protocol, server_time, limits {}, operations[]` (protocol §5).
public struct GatewayInfo: Hashable, Sendable {
    /// A bound of protocol §4: one of the contract's form, or a setting of this gateway.
    public struct Limit: Hashable, Sendable {
        public let name: LimitName
        public let value: Int

        init(name: LimitName, value: Int) { (self.name, self.value) = (name, value) }

        package init(_ name: StaticString, _ value: Int) {
            self.init(name: LimitName(validated: name.description), value: value)
        }
    }

    public let version: String
    /// Of the contract: the 1 of `parley/v1/`.
    public let protocolVersion: Int
    /// By the clock that dates messages.
    public let serverTime: Timestamp
    public let limits: [Limit]
    /// Every operation, those for operators included.
    public let operations: [Operation]
    /// The `applicationServerKey` of Web Push for browsers: a point of P-256 in base64url (RFC 8292 §3.2).
    public let vapidKey: String?

    public init(
        version: String, protocolVersion: Int, serverTime: Timestamp, limits: [Limit], operations: [Operation],
        vapidKey: String? = nil
    ) {
        self.version = version
        self.protocolVersion = protocolVersion
        self.serverTime = serverTime
        self.limits = limits
        self.operations = operations
        self.vapidKey = vapidKey
    }

    /// `nil` for a limit that this gateway does not name.
    public func limit(_ name: String) -> Int? { limits.first { $0.name.text == name }?.value }

    public func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("version", version)
            object.member("protocol", protocolVersion)
            object.member("server_time", serverTime)
            object.member("limits") { table in
                for limit in limits {
                    table.key(limit.name)
                    table.value(limit.value)
                }
            }
            object.member("operations", array: operations) { $0.value("\($1)") }
            if let vapidKey { object.member("vapid_key", vapidKey) }
        }
    }
}

/// The name of a limit, like that of a setting: `request_bytes`. It ends in the unit unless it counts things.
public struct LimitName: LevelIdentifier {
    public let text: String

    public init(_ checked: LevelText) { text = checked.text }
}

extension GatewayInfo: GatewayValue {
    /// Limits of a later version that are no whole numbers are skipped.
    package init(members object: JSONObject) throws(Rejection) {
        let table = try object.object("limits").required("limits")
        var limits: [Limit] = []
        for name in table.names {
            if let id = LimitName(name), let value = try? table.integer(name, in: 0...Int.max) {
                limits.append(Limit(name: id, value: value))
            }
        }
        self.init(
            version: try object.text("version", maximum: 64).required("version"),
            protocolVersion: try object.count("protocol").required("protocol"),
            serverTime: try object.timestamp("server_time").required("server_time"), limits: limits,
            operations: try GatewayInfo.operations(object), vapidKey: try object.text("vapid_key", maximum: 128))
    }

    private static func operations(_ object: JSONObject) throws(Rejection) -> [Operation] {
        guard case .object(let members) = object.element,
            case .array(let names)? = members.first(where: { $0.key == "operations" })?.value
        else { throw .badRequest("operations", "not an array") }
        return names.compactMap { name in
            guard case .string(let text) = name else { return nil }
            return Operation(text: text)
        }
    }
}

extension GatewayInfo: DescribedFields {
    package static var variants: [[FieldSchema.Member]] {
        let operation = FieldSchema.Pattern("^[A-Za-z0-9_-]+/[A-Za-z0-9_-]+$", example: "gateway/info")
        return [
            [
                FieldSchema.Member("version", .text(0...64)), FieldSchema.Member("protocol", Int.schema),
                FieldSchema.Member("server_time", Timestamp.schema),
                FieldSchema.Member("limits", FieldSchema(.table(key: LimitName.schema, value: Int.schema))),
                FieldSchema.Member("operations", .array(.text(3...129, operation), 0...Int.max)),
                FieldSchema.Member("vapid_key", .text(0...128), isRequired: false),
            ]
        ]
    }
}
