/// The types of columns that are read here, by their numbers in `pg_type.dat`.
enum ColumnType {
    case boolean
    case int2
    case int4
    case int8
    case oid
    /// Whole numbers that may be larger than 64 bits: `sum` of bigints.
    case numeric
    case text
    case bytes
    case uuid
    /// The result of a function that gives nothing.
    case void

    init?(oid: UInt32) {
        switch oid {
        case 16: self = .boolean
        case 17: self = .bytes
        case 18, 19, 25, 1042, 1043: self = .text
        case 20: self = .int8
        case 21: self = .int2
        case 23: self = .int4
        case 26: self = .oid
        case 1700: self = .numeric
        case 2278: self = .void
        case 2950: self = .uuid
        default: return nil
        }
    }

    var kind: PostgreSQLRows.Kind {
        switch self {
        case .boolean, .int2, .int4, .int8, .oid, .numeric, .void: .number
        case .text: .text
        case .bytes, .uuid: .bytes
        }
    }

    /// Whether `bytes` can be a value of this type.
    func admits(_ bytes: Span<UInt8>) -> Bool {
        switch self {
        case .boolean: bytes.count == 1
        case .int2: bytes.count == 2
        case .int4, .oid: bytes.count == 4
        case .int8: bytes.count == 8
        case .uuid: bytes.count == 16
        case .numeric: WholeNumeric.value(bytes) != nil
        case .text, .bytes, .void: true
        }
    }

    /// Whether every value that comes is one of the type, whatever its length.
    var admitsAll: Bool {
        switch self {
        case .text, .bytes, .void: true
        case .boolean, .int2, .int4, .int8, .oid, .numeric, .uuid: false
        }
    }

    /// A number, and 1 or 0 of a boolean.
    func integer(_ bytes: Span<UInt8>) -> Int? {
        guard admits(bytes) else { return nil }
        switch self {
        case .boolean: return bytes[0] == 0 ? 0 : 1
        case .int2: return Int(Int16(truncatingIfNeeded: bytes.bigEndian(0..<2)))
        case .int4: return Int(Int32(truncatingIfNeeded: bytes.bigEndian(0..<4)))
        case .oid: return Int(bytes.bigEndian(0..<4))
        case .int8: return Int(truncatingIfNeeded: bytes.bigEndian(0..<8))
        case .numeric: return WholeNumeric.value(bytes)
        case .text, .bytes, .uuid, .void: return nil
        }
    }
}

extension Span<UInt8> {
    /// The number in these bytes, of which there are at most 8, in the order of the network.
    func bigEndian(_ range: Range<Int>) -> UInt64 {
        var number: UInt64 = 0
        for index in range { number = number << 8 | UInt64(self[index]) }
        return number
    }
}
