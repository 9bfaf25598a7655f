extension Span<UInt8> {
    /// The text of a scanned string without escapes; `range` lies between its quotes.
    func unescaped(_ range: Range<Int>) -> [UInt8] {
        var result: [UInt8] = []
        appendUnescaped(range, to: &result)
        return result
    }

    /// Appends the text of a scanned string without escapes, which is no longer than the string.
    func appendUnescaped(_ range: Range<Int>, to result: inout [UInt8]) {
        result.append(addingCapacity: range.count) { output in
            forEachUnescaped(range) { output.append($0) }
        }
    }

    /// Gives `body` each byte of a scanned string without escapes.
    @inline(__always)
    func forEachUnescaped(_ range: Range<Int>, _ body: (UInt8) -> Void) {
        var position = range.lowerBound
        while position < range.upperBound {
            let byte = self[position]
            guard byte == UInt8(ascii: "\\"), position + 1 < range.upperBound else {
                body(byte)
                position += 1
                continue
            }
            let mark = self[position + 1]
            position += 2
            switch mark {
            case UInt8(ascii: "b"): body(0x08)
            case UInt8(ascii: "f"): body(0x0C)
            case UInt8(ascii: "n"): body(0x0A)
            case UInt8(ascii: "r"): body(0x0D)
            case UInt8(ascii: "t"): body(0x09)
            case UInt8(ascii: "u"):
                let (scalar, end) = scalar(at: position, until: range.upperBound)
                position = end
                forEachUTF8(of: scalar, body)
            default: body(mark)
            }
        }
    }

    /// The scalar of `XXXX` or `XXXX\uXXXX`, and the position after it.
    private func scalar(at start: Int, until end: Int) -> (value: UInt32, end: Int) {
        guard start + 4 <= end, let unit = hexadecimal(start..<(start + 4)) else { return (0xFFFD, end) }
        if (0xD800...0xDBFF).contains(unit), start + 10 <= end,
            let low = hexadecimal((start + 6)..<(start + 10)), (0xDC00...0xDFFF).contains(low)
        {
            return (0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), start + 10)
        }
        return (unit, start + 4)
    }

    /// Gives `body` a scalar's bytes, which are fewer than those of its escape.
    @inline(__always)
    private func forEachUTF8(of scalar: UInt32, _ body: (UInt8) -> Void) {
        func continuation(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(truncatingIfNeeded: scalar >> shift & 0x3F) }
        switch scalar {
        case 0..<0x80:
            body(UInt8(truncatingIfNeeded: scalar))
        case 0x80..<0x800:
            body(0xC0 | UInt8(truncatingIfNeeded: scalar >> 6))
            body(continuation(0))
        case 0x800..<0x10000:
            body(0xE0 | UInt8(truncatingIfNeeded: scalar >> 12))
            body(continuation(6))
            body(continuation(0))
        default:
            body(0xF0 | UInt8(truncatingIfNeeded: scalar >> 18))
            body(continuation(12))
            body(continuation(6))
            body(continuation(0))
        }
    }

    /// `nil` unless all are hexadecimal digits.
    func hexadecimal(_ range: Range<Int>) -> UInt32? {
        var value: UInt32 = 0
        for index in range {
            let byte = self[index]
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt32(byte &- 0x30)
            case 0x41...0x46: value = value << 4 | UInt32(byte &- 0x37)
            case 0x61...0x66: value = value << 4 | UInt32(byte &- 0x57)
            default: return nil
            }
        }
        return value
    }
}
