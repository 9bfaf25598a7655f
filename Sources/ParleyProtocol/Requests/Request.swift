/// What a device may ask of the gateway: a type for each operation of protocol §5, which declares the operation once,
/// and whose values are requests, parsed once at the edge. Inside the gateway invalid values do not exist.
///
/// Each is in the folder of its capability, and in ``OperationTable``.
package protocol Request: GatewayObject {
    /// What `data` of its reply is, as a device reads it.
    associatedtype Reply: Hashable, Sendable = Done

    /// `area/verb`, where it is asked for.
    static var operation: Operation { get }
    /// Whether the caller must hold the operator role.
    static var isForOperators: Bool { get }
    /// What operators are told who ask for what is for people alone; `nil` where they may ask.
    static var refusalOfOperators: String? { get }
    /// Whether the gateway answers. Typing it never answers.
    static var hasReply: Bool { get }
    /// The field that is a table of as many members as there is room for.
    static var table: TableShape? { get }
}

/// A request that changes something.
package protocol Command: Request {}

/// A request that changes nothing: it is carried out on a snapshot.
package protocol Query: Request {}

extension Request {
    package static var isForOperators: Bool { false }
    package static var refusalOfOperators: String? { nil }
    package static var hasReply: Bool { true }
    package static var table: TableShape? { nil }

    /// Where it is asked for.
    package var operation: Operation { Self.operation }

    /// The payload, as a device sends it to ``Request/operation``.
    ///
    /// - Parameter requestID: a name for the request, which the reply repeats; at most 64 characters.
    package func payload(requestID: String? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            if let requestID { object.member("request_id", requestID) }
            writeMembers(to: &object)
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
        guard let value = value("request_id") else { return nil }
        _ = try text("request_id", maximum: Limits.requestIDCharacters)
        return RequestID(json: Array(bytes[value.place]))
    }
}

/// A request's own name for itself, as the JSON string that was sent.
public struct RequestID: Hashable, Sendable {
    package let json: [UInt8]
}

extension RequestID {
    /// How much of a payload that is too long to be read is looked at for its name, in bytes.
    package static let searchedBytes = 1024

    /// The name of a request that is not read for its length, if it is among the first members, within the first
    /// KiB.
    package init?(beginningOf payload: Range<Int>, of bytes: [UInt8]) {
        let end = min(payload.upperBound, payload.lowerBound + RequestID.searchedBytes)
        guard let json = try? RequestID.find(payload.lowerBound..<end, bytes.span) else { return nil }
        // Held to what every request's is.
        let request = Array(#"{"request_id":"#.utf8) + bytes[json] + Array("}".utf8)
        guard let id = try? JSONObject(parsing: request).requestID() else { return nil }
        self = id
    }

    /// The place of the string, with its quotes.
    private static func find(_ range: Range<Int>, _ bytes: Span<UInt8>) throws(JSONError) -> Range<Int>? {
        var lexer = JSONLexer(range)
        lexer.skipWhitespace(bytes)
        guard lexer.skipOpening(bytes) == true else { return nil }
        while true {
            lexer.skipWhitespace(bytes)
            let name = lexer.position
            _ = try lexer.string(bytes)
            let isName = bytes.extracting(name..<lexer.position).equals("\"request_id\"")
            lexer.skipWhitespace(bytes)
            guard lexer.skip(UInt8(ascii: ":"), bytes) else { return nil }
            lexer.skipWhitespace(bytes)
            let value = lexer.position
            // What is an object or an array ends the search: a name behind it is not worth more work.
            let kind = try lexer.scalar(bytes)
            if isName {
                return kind == .string || kind == .escapedString ? value..<lexer.position : nil
            }
            lexer.skipWhitespace(bytes)
            guard lexer.skip(UInt8(ascii: ","), bytes) else { return nil }
        }
    }
}

extension DeviceAddress: GatewayObject {
    package init<Pass: FieldPass<DeviceAddress>>(fields pass: inout Pass) throws(Pass.Failure) {
        user = try pass.required("user_id", \.user)
        device = try pass.required("device_id", \.device)
    }
}
