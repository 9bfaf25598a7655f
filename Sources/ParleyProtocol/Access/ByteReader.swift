/// Reads forward through bytes, and never past `end`.
struct ByteReader {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = 0
        end = bytes.count
    }

    private init(_ bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position == end }

    mutating func byte() -> UInt8? {
        guard position < end else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// A big-endian number of at most eight bytes.
    mutating func number(bytes count: Int) -> UInt64? {
        guard end - position >= count else { return nil }
        var number: UInt64 = 0
        for _ in 0..<count {
            number = number << 8 | UInt64(bytes[position])
            position += 1
        }
        return number
    }

    /// A reader of the next `count` bytes, which this one passes over.
    mutating func body(count: UInt64) -> ByteReader? {
        guard let count = Int(exactly: count), end - position >= count else { return nil }
        defer { position += count }
        return ByteReader(bytes, range: position..<(position + count))
    }

    /// An id with its length in one byte before it.
    mutating func id<ID: LevelIdentifier>(_: ID.Type) -> ID? {
        guard let length = byte(), end - position >= Int(length) else { return nil }
        defer { position += Int(length) }
        return ID(parsing: bytes.span.extracting(position..<(position + Int(length))))
    }

    mutating func uuid() -> UUIDValue? {
        guard let high = number(bytes: 8), let low = number(bytes: 8) else { return nil }
        return UUIDValue(high: high, low: low)
    }

    mutating func address() -> DeviceAddress? {
        guard let user = id(UserID.self), let device = id(DeviceID.self) else { return nil }
        return DeviceAddress(user: user, device: device)
    }
}
