import Foundation

/// JSON as tests write and read it: literals in, subscripts out. What is not there reads as `null`.
enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(parsing bytes: some Sequence<UInt8>) throws {
        self = try JSONDecoder().decode(JSON.self, from: Data(bytes))
    }

    var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }

    subscript(key: String) -> JSON {
        get {
            guard case .object(let members) = self else { return .null }
            return members[key] ?? .null
        }
        set {
            guard case .object(var members) = self else { return }
            members[key] = newValue
            self = .object(members)
        }
    }

    subscript(index: Int) -> JSON {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return .null }
        return elements[index]
    }

    var elements: [JSON] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    var keys: Set<String> {
        guard case .object(let members) = self else { return [] }
        return Set(members.keys)
    }

    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var int: Int? {
        guard case .int(let value) = self else { return nil }
        return value
    }

    /// With other members, or other values of them.
    func with(_ changes: JSON) -> JSON {
        var result = self
        for key in changes.keys { result[key] = changes[key] }
        return result
    }

    func without(_ key: String) -> JSON {
        guard case .object(var members) = self else { return self }
        members[key] = nil
        return .object(members)
    }
}

extension JSON: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .int(value) }
    init(floatLiteral value: Double) { self = .double(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(nilLiteral: ()) { self = .null }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSON: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSON: CustomStringConvertible {
    var description: String { String(decoding: bytes, as: UTF8.self) }
}
