import ParleyProtocol

/// A message's number, carried in its id so that a delivery needs no look-up: a UUID of version 7 (RFC 9562 §5.7), as
/// devices make them, with the sender, the run and a count where the random bits would be.
struct MessageNumber: Equatable {
    /// Which sender, and so which conversation; below 4096.
    var sender: Int
    /// Which run of the load; below 16,384.
    var run: Int
    /// 0, 1, 2 … within the run.
    var count: Int

    init(sender: Int, run: Int, count: Int) { (self.sender, self.run, self.count) = (sender, run, count) }

    /// From the 36 characters at `start`, which a sender of this run wrote, or which are damaged.
    @inline(__always)
    init(parsing bytes: borrowing [UInt8], at start: Int) {
        sender = Self.number(bytes, start + 15, digits: 3)
        run = Self.number(bytes, start + 19, digits: 4) & 0x3FFF
        count = Self.number(bytes, start + 24, digits: 12)
    }

    /// The id, made at a time in milliseconds since 1970.
    func id(milliseconds: Int64) -> UUIDValue {
        UUIDValue(
            high: UInt64(truncatingIfNeeded: milliseconds) << 16 | 0x7000 | UInt64(sender & 0xFFF),
            low: 0x8000_0000_0000_0000 | UInt64(run & 0x3FFF) << 48 | UInt64(count))
    }

    /// Writes sender, run and count over the 36 characters at `start`; the digits of the time stay as they are.
    @inline(__always)
    func write(over bytes: inout [UInt8], at start: Int) {
        Self.write(UInt64(sender), over: &bytes, start + 15, digits: 3)
        Self.write(0x8000 | UInt64(run), over: &bytes, start + 19, digits: 4)
        Self.write(UInt64(count), over: &bytes, start + 24, digits: 12)
    }

    /// Writes the time over the first 13 characters at `start`.
    @inline(__always)
    static func write(milliseconds: Int64, over bytes: inout [UInt8], at start: Int) {
        write(UInt64(milliseconds) >> 16, over: &bytes, start, digits: 8)
        write(UInt64(milliseconds) & 0xFFFF, over: &bytes, start + 9, digits: 4)
    }

    @inline(__always)
    private static func number(_ bytes: borrowing [UInt8], _ start: Int, digits: Int) -> Int {
        var value = 0
        for index in start..<(start + digits) {
            let byte = bytes[index]
            value = value << 4 | Int(byte < 0x3A ? byte &- 0x30 : byte &- 0x57)
        }
        return value
    }

    @inline(__always)
    private static func write(_ value: UInt64, over bytes: inout [UInt8], _ start: Int, digits: Int) {
        var rest = value
        for index in stride(from: start + digits - 1, through: start, by: -1) {
            let digit = UInt8(rest & 0xF)
            bytes[index] = digit < 10 ? digit + 0x30 : digit + 0x57
            rest >>= 4
        }
    }
}
