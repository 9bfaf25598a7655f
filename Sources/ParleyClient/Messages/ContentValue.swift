import ParleyProtocol

/// What the sealed content of one message type holds, or an object inside it (protocol §6, "Content").
///
/// Members that are not named are left out; `null` is the same as leaving out.
protocol ContentValue: Hashable, Sendable {
    /// Unknown members are ignored.
    ///
    /// - Throws: what names the member that is missing or does not hold what it should.
    init(members: JSONObject) throws(Rejection)
    func writeMembers(to object: inout JSONWriter)
}

extension ContentValue {
    /// What every JSON reader can tell apart from its neighbours (RFC 8259 §6).
    static var counts: ClosedRange<Int> { 0...9_007_199_254_740_991 }
    /// The longest text; the content's own bound comes before it.
    static var longestText: Int { Limits.contentBytes }
    /// The longest id that is not the gateway's, and the longest name of a file, in characters.
    static var longestName: Int { 255 }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, content: some ContentValue) {
        member(name, object: content.writeMembers)
    }

    mutating func member(_ name: StaticString, ifPresent text: String?) {
        if let text { member(name, text) }
    }

    mutating func member(_ name: StaticString, ifPresent number: Int?) {
        if let number { member(name, number) }
    }
}

extension JSONObject {
    func content<Value: ContentValue>(_ name: String, of _: Value.Type = Value.self) throws(Rejection) -> Value {
        try Value(members: try object(name).required(name))
    }
}
