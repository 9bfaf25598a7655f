import ParleyProtocol

/// Writes a tree as YAML 1.2: keys and lists in blocks, scalars as in JSON.
enum YAML {
    static func text(of element: JSONElement) -> String {
        var lines: [String] = []
        append(element, at: 0, to: &lines)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func append(_ element: JSONElement, at depth: Int, to lines: inout [String]) {
        let indent = String(repeating: "  ", count: depth)
        switch element {
        case .object(let members):
            for member in members {
                if let text = inline(member.value) {
                    lines.append("\(indent)\(key(member.key)): \(text)")
                } else {
                    lines.append("\(indent)\(key(member.key)):")
                    append(member.value, at: depth + 1, to: &lines)
                }
            }
        case .array(let elements):
            for element in elements {
                if let text = inline(element) {
                    lines.append("\(indent)- \(text)")
                } else {
                    let start = lines.count
                    append(element, at: depth + 1, to: &lines)
                    lines[start] = "\(indent)- " + lines[start].dropFirst(indent.count + 2)
                }
            }
        case .string, .literal:
            lines.append(indent + (inline(element) ?? ""))
        }
    }

    /// The element on one line; `nil` for one that takes more.
    private static func inline(_ element: JSONElement) -> String? {
        switch element {
        case .object(let members):
            // References are short.
            guard members.count == 1, members[0].key == "$ref" else { return members.isEmpty ? "{}" : nil }
            return inline(members[0].value).map { "{$ref: \($0)}" }
        case .array(let elements):
            guard !elements.isEmpty else { return "[]" }
            let texts = elements.compactMap { isScalar($0) ? inline($0) : nil }
            return texts.count == elements.count ? "[\(texts.joined(separator: ", "))]" : nil
        case .string(let text):
            var writer = JSONWriter()
            writer.value(text)
            return String(decoding: writer.finish(), as: UTF8.self)
        case .literal(let text):
            return text
        }
    }

    private static func isScalar(_ element: JSONElement) -> Bool {
        switch element {
        case .string, .literal: true
        case .object, .array: false
        }
    }

    private static func key(_ key: String) -> String {
        let isPlain = key.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        let isWord =
            key.contains { $0.isLetter }
            && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(key.lowercased())
        return isPlain && isWord ? key : inline(.string(key)) ?? key
    }
}
