/// A tree of a scanned text, members in their order: for showing JSON of any shape.
package indirect enum JSONElement: Hashable, Sendable {
    case object([Member])
    case array([JSONElement])
    /// Without escapes.
    case string(String)
    /// A number, `true`, `false` or `null`, as in the text.
    case literal(String)

    package struct Member: Hashable, Sendable {
        package let key: String
        package let value: JSONElement

        package init(key: String, value: JSONElement) { (self.key, self.value) = (key, value) }
    }
}

extension JSONObject {
    /// The object as a tree: a copy of everything, and not for a hot path.
    package var element: JSONElement {
        JSONElement(.object, scanned.place, in: bytes)
    }
}

extension JSONElement.Member {
    fileprivate init(_ member: JSONMember, in bytes: [UInt8]) {
        key = String(decoding: bytes.span.unescaped(member.key.range), as: UTF8.self)
        value = JSONElement(member.kind, member.value, in: bytes)
    }
}

extension JSONElement {
    /// `range` lies in a scanned text.
    fileprivate init(_ kind: JSONKind, _ range: Range<Int>, in bytes: [UInt8]) {
        var walker = JSONWalker(range)
        switch kind {
        case .object:
            var members: [JSONElement.Member] = []
            while let member = walker.nextMember(bytes.span) { members.append(JSONElement.Member(member, in: bytes)) }
            self = .object(members)
        case .array:
            var elements: [JSONElement] = []
            while let element = walker.nextElement(bytes.span) {
                elements.append(JSONElement(element.kind, element.value, in: bytes))
            }
            self = .array(elements)
        case .string, .escapedString:
            let inside = (range.lowerBound + 1)..<max(range.lowerBound + 1, range.upperBound - 1)
            self = .string(String(decoding: bytes.span.unescaped(inside), as: UTF8.self))
        case .number, .true, .false, .null:
            self = .literal(String(decoding: bytes[range], as: UTF8.self))
        }
    }
}
