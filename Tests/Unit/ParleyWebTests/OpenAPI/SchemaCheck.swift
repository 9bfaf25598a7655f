import Foundation
import ParleyProtocol

/// Checks values against the schemas of a document, by the keywords of JSON Schema that it uses.
struct SchemaCheck: Sendable {
    /// The whole document, which references point into.
    let document: JSONElement
    private let expressions: [String: NSRegularExpression]

    init(document: JSONElement) throws {
        self.document = document
        var expressions: [String: NSRegularExpression] = [:]
        func visit(_ element: JSONElement) throws {
            for member in element.members {
                if member.key == "pattern", let pattern = member.value.text, expressions[pattern] == nil {
                    // The end is that of the text, as in ECMA-262.
                    expressions[pattern] = try NSRegularExpression(
                        pattern: pattern.replacingOccurrences(of: "$", with: "\\z", options: [.anchored, .backwards]))
                }
                try visit(member.value)
            }
            for element in element.elements { try visit(element) }
        }
        try visit(document)
        self.expressions = expressions
    }

    struct UnknownKeyword: Error, Hashable {
        let name: String
    }

    /// What is wrong with the value, as the path to it and the keyword; `nil` if it satisfies the schema.
    func problem(_ value: JSONElement, _ schema: JSONElement, at path: String = "") throws -> String? {
        for keyword in schema.members where try !isMet(keyword, by: value, beside: schema) {
            if keyword.key == "properties" {
                for member in value.members {
                    guard let property = keyword.value[member.key] else { continue }
                    if let problem = try problem(member.value, property, at: "\(path)/\(member.key)") { return problem }
                }
            }
            return "\(path) \(keyword.key)"
        }
        return nil
    }

    private func satisfies(_ value: JSONElement, _ schema: JSONElement) throws -> Bool {
        try problem(value, schema) == nil
    }

    private func isMet(
        _ keyword: JSONElement.Member, by value: JSONElement, beside schema: JSONElement
    ) throws -> Bool {
        let argument = keyword.value
        switch keyword.key {
        case "$ref": return try satisfies(value, resolve(argument.text ?? ""))
        case "type":
            return argument.elements.isEmpty
                ? value.is(argument.text) : argument.elements.contains { value.is($0.text) }
        case "enum": return argument.elements.contains(value)
        case "const": return value == argument
        case "anyOf": return try argument.elements.contains { try satisfies(value, $0) }
        case "oneOf": return try argument.elements.filter { try satisfies(value, $0) }.count == 1
        case "not": return try !satisfies(value, argument)
        case "minimum": return value.number.map { $0 >= argument.number ?? 0 } ?? true
        case "maximum": return value.number.map { $0 <= argument.number ?? 0 } ?? true
        case "minLength": return value.text.map { $0.unicodeScalars.count >= Int(argument.number ?? 0) } ?? true
        case "maxLength": return value.text.map { $0.unicodeScalars.count <= Int(argument.number ?? 0) } ?? true
        case "pattern": return try value.text.map { try matches($0, argument.text ?? "") } ?? true
        case "minItems": return !value.isArray || value.elements.count >= Int(argument.number ?? 0)
        case "maxItems": return value.elements.count <= Int(argument.number ?? 0)
        case "items": return try value.elements.allSatisfy { try satisfies($0, argument) }
        case "maxProperties": return value.members.count <= Int(argument.number ?? 0)
        case "required":
            return !value.isObject || argument.elements.allSatisfy { name in value[name.text ?? ""] != nil }
        case "dependentRequired":
            return argument.members.allSatisfy { dependency in
                value[dependency.key] == nil
                    || dependency.value.elements.allSatisfy { name in value[name.text ?? ""] != nil }
            }
        case "properties":
            return try value.members.allSatisfy { member in
                try argument[member.key].map { try satisfies(member.value, $0) } ?? true
            }
        case "propertyNames": return try value.members.allSatisfy { try satisfies(.string($0.key), argument) }
        case "additionalProperties":
            return try value.members.allSatisfy { member in
                if schema["properties"]?[member.key] != nil { return true }
                return try satisfies(member.value, argument)
            }
        case "format", "contentEncoding", "default", "examples", "description": return true
        default: throw UnknownKeyword(name: keyword.key)
        }
    }

    /// The schema that a reference points at.
    func resolve(_ reference: String) throws -> JSONElement {
        try reference.split(separator: "/").dropFirst().reduce(document) { element, name in
            guard let next = element[String(name)] else { throw UnknownKeyword(name: reference) }
            return next
        }
    }

    /// Patterns of this document say nothing more of a long text than of its beginning.
    private func matches(_ text: String, _ pattern: String) throws -> Bool {
        guard text.utf8.count <= 4096 else { return true }
        guard let expression = expressions[pattern] else { throw UnknownKeyword(name: pattern) }
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
}

extension JSONElement {
    init(_ json: [UInt8]) throws { self = try JSONObject(parsing: json).element }
    init(_ json: String) throws { try self.init(Array(json.utf8)) }

    var members: [Member] { if case .object(let members) = self { members } else { [] } }
    var elements: [JSONElement] { if case .array(let elements) = self { elements } else { [] } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var isObject: Bool { if case .object = self { true } else { false } }
    var isArray: Bool { if case .array = self { true } else { false } }

    /// Of 38 digits, so that the largest integers differ.
    var number: Decimal? {
        guard case .literal(let text) = self else { return nil }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    subscript(name: String) -> JSONElement? { members.first { $0.key == name }?.value }

    func `is`(_ type: String?) -> Bool {
        switch (type, self) {
        case ("object", .object), ("array", .array), ("string", .string): true
        case ("null", .literal("null")), ("boolean", .literal("true")), ("boolean", .literal("false")): true
        case ("integer", .literal): number.map { $0.isWhole } ?? false
        case ("number", .literal): number != nil
        default: false
        }
    }
}

extension Decimal {
    fileprivate var isWhole: Bool {
        var (value, whole) = (self, Decimal())
        unsafe NSDecimalRound(&whole, &value, 0, .plain)
        return whole == value
    }
}

extension Int {
    fileprivate init(_ number: Decimal) { self = NSDecimalNumber(decimal: number).intValue }
}
