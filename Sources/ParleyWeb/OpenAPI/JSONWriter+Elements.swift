import ParleyProtocol

extension JSONWriter {
    /// Writes a tree whose keys need no escapes.
    mutating func element(_ element: JSONElement) {
        switch element {
        case .object(let members):
            object { object in
                for member in members {
                    object.key(member.key)
                    object.element(member.value)
                }
            }
        case .array(let elements):
            array(elements) { $0.element($1) }
        case .string(let text):
            value(text)
        case .literal(let text):
            raw(text.utf8)
        }
    }
}
