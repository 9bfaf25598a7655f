import Foundation

/// JSON as tests write and read it: literals in, subscripts out. A missing member reads as `null`.
enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(parsing bytes: some Sequence<UInt8>) throws {
        self.init(try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed))
    }

    /// Of what Foundation has read. Its decoder would have to try one type after another, and each that does not fit is
    /// an error thrown, of which the tests' library takes the whole stack.
    private init(_ value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let object as [String: Any]: self = .object(object.mapValues(JSON.init))
        case let elements as [Any]: self = .array(elements.map(JSON.init))
        case let number as NSNumber: self = JSON(number)
        default: self = .null
        }
    }

    private init(_ number: NSNumber) {
        // `c` is what it calls a boolean's type, and no number's that it has read.
        if unsafe strcmp(number.objCType, "c") == 0 {
            self = .bool(number.boolValue)
        } else if let whole = Int(exactly: number) {
            self = .int(whole)
        } else {
            self = .double(number.doubleValue)
        }
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

extension JSON: Encodable {
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
