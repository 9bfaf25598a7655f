/// The reason why a text is not JSON that the gateway accepts. The raw value is the predicate of a sentence: "The
/// payload" + " has a duplicate key" + ".".
public enum JSONError: String, Error, Sendable, CaseIterable {
    case empty = "is empty"
    case notUTF8 = "is not valid UTF-8"
    case syntax = "is not JSON"
    case tooLong = "is too long"
    case truncated = "ends before its JSON does"
    case trailing = "has something after the object"
    case notAnObject = "is not an object"
    case depth = "is nested too deeply"
    case members = "has an object of more than 64 members"
    case duplicateKey = "has a duplicate key"
    case loneSurrogate = "has a lone surrogate"
    case controlCharacter = "has a control character in a string"
}

extension Rejection {
    /// The refusal of a payload that is not JSON as the protocol has it.
    package init(payload fault: JSONError) { self.init(.badRequest, "The payload \(fault.rawValue).") }
}
