/// Reads forward through bytes of a binary form, never past their end: a missing value is `nil`.
///
/// Numbers are big-endian; an id has its length in one byte before it. ``ByteWriter`` writes this form.
package struct ByteReader {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    package init(_ bytes: [UInt8]) { self.init(bytes, range: 0..<bytes.count) }

    /// Reads `range` alone, by reference. The part of it outside `bytes` is not read.
    package init(_ bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = max(range.lowerBound, min(range.upperBound, bytes.count))
    }

    package var isAtEnd: Bool { position == end }

    package mutating func byte() -> UInt8? {
        guard position < end else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// A big-endian number of at most eight bytes.
    package mutating func number(bytes count: Int) -> UInt64? {
        guard end - position >= count else { return nil }
        var number: UInt64 = 0
        for _ in 0..<count {
            number = number << 8 | UInt64(bytes[position])
            position += 1
        }
        return number
    }

    /// Lends the next `count` bytes without a copy.
    package mutating func withBytes<Result, Failure: Error>(
        count: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard count >= 0, end - position >= count else { return nil }
        defer { position += count }
        return try body(bytes.span.extracting(position..<(position + count)))
    }

    package mutating func bytes(count: Int) -> [UInt8]? {
        guard count >= 0, end - position >= count else { return nil }
        defer { position += count }
        return Array(bytes[position..<(position + count)])
    }

    /// A reader of the next `count` bytes, which this one skips.
    mutating func body(count: UInt64) -> ByteReader? {
        guard let count = Int(exactly: count), end - position >= count else { return nil }
        defer { position += count }
        return ByteReader(bytes, range: position..<(position + count))
    }

    /// An id with its length in one byte before it.
    package mutating func id<ID: LevelIdentifier>(_: ID.Type) -> ID? {
        guard let length = byte(), end - position >= Int(length) else { return nil }
        defer { position += Int(length) }
        return ID(parsing: bytes.span.extracting(position..<(position + Int(length))))
    }

    package mutating func uuid() -> UUIDValue? {
        guard let high = number(bytes: 8), let low = number(bytes: 8) else { return nil }
        return UUIDValue(high: high, low: low)
    }

    package mutating func address() -> DeviceAddress? {
        guard let user = id(UserID.self), let device = id(DeviceID.self) else { return nil }
        return DeviceAddress(user: user, device: device)
    }
}
