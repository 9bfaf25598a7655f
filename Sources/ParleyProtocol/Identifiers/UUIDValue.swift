/// A UUID as two words: 16 bytes, compared and hashed without allocation (RFC 9562 §4).
///
/// The text form is the canonical one, 36 characters with lower-case hexadecimal digits; nothing else is accepted.
public struct UUIDValue: Hashable, Comparable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// A random UUID, version 4 (RFC 9562 §5.4).
    public static func random() -> UUIDValue {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    public static func random(using generator: inout some RandomNumberGenerator) -> UUIDValue {
        versioned(4, high: generator.next(), low: generator.next())
    }

    /// A random UUID that begins with a time, version 7 (RFC 9562 §5.7), so that ids of one time are adjacent in an
    /// index.
    package static func ordered(at time: Timestamp) -> UUIDValue {
        let random = random()
        return versioned(7, high: UInt64(clamping: time.milliseconds) << 16 | random.high & 0xFFF, low: random.low)
    }

    /// The first 128 bits of a digest with version 8 and the variant set (RFC 9562 §5.8).
    ///
    /// - Returns: `nil` if `digest` has fewer than 16 bytes.
    public static func nameBased(digest: some Collection<UInt8>) -> UUIDValue? {
        guard let value = UUIDValue(bytes: digest.prefix(16)) else { return nil }
        return versioned(8, high: value.high, low: value.low)
    }

    /// Whether it has the form of `nameBased`: version 8 and the variant of RFC 9562.
    public var isNameBased: Bool { UUIDValue.versioned(8, high: high, low: low) == self }

    private static func versioned(_ version: UInt64, high: UInt64, low: UInt64) -> UUIDValue {
        UUIDValue(
            high: (high & 0xFFFF_FFFF_FFFF_0FFF) | (version << 12),
            low: (low & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000)
    }

    /// From exactly 16 bytes in network order.
    public init?(bytes: Span<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in 0..<8 { high = high << 8 | UInt64(bytes[index]) }
        for index in 8..<16 { low = low << 8 | UInt64(bytes[index]) }
        self.init(high: high, low: low)
    }

    /// From exactly 16 bytes in network order.
    public init?(bytes: some Collection<UInt8>) {
        // Other modules call this unspecialized: a copy costs less there than an iteration.
        let copy = Array(bytes)
        self.init(bytes: copy.span)
    }

    /// 16 bytes in network order.
    public var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(16)
        for shift in stride(from: 56, through: 0, by: -8) { result.append(UInt8(truncatingIfNeeded: high >> shift)) }
        for shift in stride(from: 56, through: 0, by: -8) { result.append(UInt8(truncatingIfNeeded: low >> shift)) }
        return result
    }

    static let textLength = 36

    /// The value of each lower-case hexadecimal digit; 0xFF for any other byte.
    private static let digitValues: [UInt8] = (0...255).map { (byte: UInt8) in
        switch byte {
        case 0x30...0x39: byte &- 0x30
        case 0x61...0x66: byte &- 0x57
        default: 0xFF
        }
    }

    /// From the canonical lower-case text; `nil` for anything else, upper-case digits included.
    public init?(parsing text: Span<UInt8>) {
        guard text.count == UUIDValue.textLength else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        var wrong: UInt8 = 0
        let values = UUIDValue.digitValues.span
        for index in 0..<36 {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                wrong |= text[index] ^ UInt8(ascii: "-")
            } else {
                let digit = values[Int(text[index])]
                wrong |= digit & 0xF0
                if index < 18 {
                    high = high << 4 | UInt64(digit)
                } else {
                    low = low << 4 | UInt64(digit)
                }
            }
        }
        guard wrong == 0 else { return nil }
        self.init(high: high, low: low)
    }

    public func append(to output: inout [UInt8]) {
        output.append(addingCapacity: 36) { append(to: &$0) }
    }

    /// Appends the 36 characters of the text form, for which there must be room.
    package func append(to text: inout OutputSpan<UInt8>) {
        let start = text.count
        text.append(repeating: UInt8(ascii: "-"), count: 36)
        var characters = text.mutableSpan
        write(over: &characters, at: start)
    }

    /// Writes the 32 digits over those of another id, whose text form begins at `start`.
    package func write(over text: inout MutableSpan<UInt8>, at start: Int) {
        var bytes = unsafe text.mutableBytes
        let (second, third) = (UUIDValue.digits(high), UUIDValue.digits(low >> 32))
        bytes.storeBytes(of: UUIDValue.digits(high >> 32).bigEndian, toByteOffset: start, as: UInt64.self)
        bytes.storeBytes(of: UInt32(second >> 32).bigEndian, toByteOffset: start + 9, as: UInt32.self)
        bytes.storeBytes(
            of: UInt32(truncatingIfNeeded: second).bigEndian, toByteOffset: start + 14, as: UInt32.self)
        bytes.storeBytes(of: UInt32(third >> 32).bigEndian, toByteOffset: start + 19, as: UInt32.self)
        bytes.storeBytes(of: UInt32(truncatingIfNeeded: third).bigEndian, toByteOffset: start + 24, as: UInt32.self)
        bytes.storeBytes(of: UUIDValue.digits(low).bigEndian, toByteOffset: start + 28, as: UInt64.self)
    }

    /// The eight hexadecimal digits of the lower 32 bits of `word` in ASCII, the first in the highest byte: all at
    /// once, as ids are half of a message's header.
    private static func digits(_ word: UInt64) -> UInt64 {
        var nibbles = word & 0xFFFF_FFFF
        nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // One in each byte that is a letter.
        let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
    }

    public static func < (left: UUIDValue, right: UUIDValue) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}

/// An id with a UUID as its text. Each noun has its own type, so that one cannot be used for another.
public protocol UUIDIdentifier: Hashable, Comparable, Sendable, CodableAsText, ExpressibleByStringLiteral, JSONKeyable {
    var value: UUIDValue { get }
    init(_ value: UUIDValue)
}

extension UUIDIdentifier {
    public init?(parsing text: Span<UInt8>) {
        guard let value = UUIDValue(parsing: text) else { return nil }
        self.init(value)
    }

    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(parsing: bytes.span)
    }

    public init?(bytes: some Collection<UInt8>) {
        guard let value = UUIDValue(bytes: bytes) else { return nil }
        self.init(value)
    }

    public init?(bytes: Span<UInt8>) {
        guard let value = UUIDValue(bytes: bytes) else { return nil }
        self.init(value)
    }

    public static func random() -> Self { Self(.random()) }

    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        value.append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }

    public static var textForm: String { "a lower-case UUID" }
}

public struct ConversationID: UUIDIdentifier {
    public let value: UUIDValue
    public init(_ value: UUIDValue) { self.value = value }

    /// The preimage of the id of two users' direct conversation: the bytewise sorted pair, each with its 16-bit
    /// big-endian length (protocol §1).
    public static func directPreimage(_ one: UserID, _ other: UserID) -> [UInt8] {
        let (first, second) = one < other ? (one, other) : (other, one)
        var writer = ByteWriter()
        for id in [first, second] { writer.field(id.text.utf8) }
        return writer.bytes
    }
}

public struct MessageID: UUIDIdentifier {
    public let value: UUIDValue
    public init(_ value: UUIDValue) { self.value = value }
}

public struct GroupID: UUIDIdentifier {
    public let value: UUIDValue
    public init(_ value: UUIDValue) { self.value = value }
}

public struct InviteID: UUIDIdentifier {
    public let value: UUIDValue
    public init(_ value: UUIDValue) { self.value = value }
}

public struct ReportID: UUIDIdentifier {
    public let value: UUIDValue
    public init(_ value: UUIDValue) { self.value = value }
}
