import ParleyProtocol

/// What clients do by themselves about a message that could not be opened (docs/encryption.md, "Sealed anew").
enum Resending: String, CaseIterable, Sendable {
    /// The request to the sender's device: a reaction with a ``ResendRequest``.
    case request
    /// The answer: an edit to the same content, marked as resent.
    case answer
}

/// The content of a request to seal a message again.
enum ResendRequest {
    static let json = Array(#"{"unopened":true}"#.utf8)

    static func isIn(_ reaction: JSONObject) throws(Rejection) -> Bool { try reaction.bool("unopened") == true }
}

/// The mark of an edit that repeats the content: its first member is `"resent":true`.
enum ResentMark {
    private static let member = "\"resent\":true"

    /// - Parameter content: a JSON object without white space, as this client writes it.
    static func put(on content: [UInt8]) -> [UInt8] {
        guard let brace = content.firstIndex(of: UInt8(ascii: "{")) else { return content }
        let rest = content[(brace + 1)...]
        let isEmpty = rest.first == UInt8(ascii: "}")
        return Array(content[...brace]) + Array(member.utf8) + (isEmpty ? [] : [UInt8(ascii: ",")]) + rest
    }

    static func isOn(_ content: [UInt8]) -> Bool {
        guard let object = try? JSONObject(parsing: content) else { return false }
        return (try? object.bool("resent")) == true
    }
}
