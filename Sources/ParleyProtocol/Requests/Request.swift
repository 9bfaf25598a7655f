/// A request to the gateway: one type for each operation of protocol §5, which declares the operation; its values are
/// parsed once at the edge. Inside the gateway there are no invalid values.
///
/// Each is in the folder of its capability, and in ``OperationTable``.
package protocol Request: GatewayObject {
    /// The `data` of its reply, as a device reads it.
    associatedtype Reply: Hashable, Sendable = Done

    /// `area/verb`
    static var operation: Operation { get }
    static var askers: Askers { get }
    /// The refusal of operators by an operation for people alone; `nil` if operators may use it.
    static var refusalOfOperators: String? { get }
    /// Whether the gateway answers. Typing it never answers.
    static var hasReply: Bool { get }
    /// Whether the field `id` names what the request makes, so that a repeat of it makes nothing twice.
    static var namesWhatItMakes: Bool { get }
    /// The field that is a table without a bound on its members.
    static var table: TableShape? { get }
}

/// A request that changes something.
package protocol Command: Request {}

/// A request that changes nothing: it is executed on a snapshot.
package protocol Query: Request {}

/// Whose devices may send a request.
package enum Askers: Hashable, Sendable {
    /// People's; and operators', unless the request has a `refusalOfOperators`.
    case everyone
    case operators
    /// Those that sign people in.
    case doors
    /// The same devices for themselves: a door carries such a request out for no client.
    case doorsAlone
}

extension Request {
    package static var askers: Askers { .everyone }
    package static var isForOperators: Bool { askers == .operators }
    package static var refusalOfOperators: String? { nil }
    package static var hasReply: Bool { true }
    package static var namesWhatItMakes: Bool { false }
    package static var table: TableShape? { nil }

    package var operation: Operation { Self.operation }

    /// The payload, as a device sends it to ``Request/operation``.
    ///
    /// - Parameter requestID: the request's name, which the reply repeats; at most 64 characters.
    package func payload(requestID: String? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            if let requestID { object.member("request_id", requestID) }
            writeMembers(to: &object)
        }
        return writer.finish()
    }
}

/// A reply without data for the device.
public struct Done: Hashable, Sendable {
    public init() {}
}

extension Done: GatewayValue {
    package init(members object: JSONObject) throws(Rejection) {}
}

extension JSONObject {
    /// The request's name, as JSON for the reply.
    public func requestID() throws(Rejection) -> RequestID? {
        guard let value = value("request_id") else { return nil }
        _ = try text("request_id", maximum: Limits.requestIDCharacters)
        return RequestID(json: Array(bytes[value.place]))
    }
}

/// A request's name, as the JSON string that was sent.
public struct RequestID: Hashable, Sendable {
    package let json: [UInt8]
}

extension RequestID {
    /// The searched part of a payload that is too long, in bytes.
    package static let searchedBytes = 1024

    /// The name of a request whose payload is too long, if it is among the first members, within the first KiB.
    package init?(beginningOf payload: Range<Int>, of bytes: [UInt8]) {
        let end = min(payload.upperBound, payload.lowerBound + RequestID.searchedBytes)
        guard let json = try? RequestID.find(payload.lowerBound..<end, bytes.span) else { return nil }
        // Checked like any request's.
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
            // An object or an array ends the search: a name after it is not worth more work.
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
