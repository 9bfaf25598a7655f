/// What a device may ask of the gateway: a type for each operation of protocol §5, which says once what the operation is,
/// and whose values are requests, parsed once at the edge. Inside the gateway invalid values do not exist.
///
/// Each stands in the folder of its capability, and in ``OperationTable``.
public protocol Request: Hashable, Sendable {
    /// What `data` of its reply is, as a device reads it.
    associatedtype Reply: Hashable, Sendable

    /// `area/verb`, where it is asked for.
    static var operation: Operation { get }
    /// What it takes, in the notation of protocol §5.
    static var fields: String { get }
    /// Whether the caller must hold the operator role.
    static var isForOperators: Bool { get }
    /// Whether the gateway answers. Typing it never answers.
    static var hasReply: Bool { get }
    /// The field that is a table of as many members as there is room for.
    static var table: TableShape? { get }

    /// Reads its fields from a scanned payload.
    ///
    /// - Throws: what protocol §4 refuses it with.
    init(_ object: JSONObject) throws(Rejection)

    /// Writes its fields, as a device sends them.
    func writeFields(to object: inout JSONWriter)
}

/// A request that changes something.
public protocol Command: Request {}

/// A request that changes nothing: it is carried out on a snapshot.
public protocol Query: Request {}

extension Request {
    public static var isForOperators: Bool { false }
    public static var hasReply: Bool { true }
    public static var table: TableShape? { nil }

    /// Where it is asked for.
    public var operation: Operation { Self.operation }

    /// The payload, as a device sends it to ``Request/operation``.
    ///
    /// - Parameter requestID: a name for the request, which the reply repeats; at most 64 characters.
    public func payload(requestID: String? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            if let requestID { object.member("request_id", requestID) }
            writeFields(to: &object)
        }
        return writer.finish()
    }
}

/// A reply of which a device reads nothing but that the request was carried out.
public struct Done: Hashable, Sendable {
    public init() {}
}

extension Done: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {}
}

extension JSONObject {
    /// The request's own name for itself, as JSON to repeat in the reply.
    public func requestID() throws(Rejection) -> RequestID? {
        try rawString("request_id", maximum: Limits.requestIDCharacters).map(RequestID.init(json:))
    }
}

/// A request's own name for itself, kept as the JSON string that it came as.
public struct RequestID: Hashable, Sendable {
    package let json: [UInt8]
}

extension DeviceAddress {
    package func writeFields(to object: inout JSONWriter) {
        object.member("user_id", user)
        object.member("device_id", device)
    }
}
