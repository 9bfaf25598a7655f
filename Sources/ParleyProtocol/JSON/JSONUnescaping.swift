extension Span<UInt8> {
    /// The bytes that a scanned string means; `range` lies between its quotes.
    func unescaped(_ range: Range<Int>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            let byte = self[position]
            guard byte == UInt8(ascii: "\\"), position + 1 < range.upperBound else {
                result.append(byte)
                position += 1
                continue
            }
            let mark = self[position + 1]
            position += 2
            switch mark {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"): position = appendScalar(at: position, until: range.upperBound, to: &result)
            default: result.append(mark)
            }
        }
        return result
    }

    /// Appends the scalar of `XXXX` or `XXXX\uXXXX` and says where it ends.
    private func appendScalar(at start: Int, until end: Int, to result: inout [UInt8]) -> Int {
        guard start + 4 <= end, let unit = hexadecimal(start..<(start + 4)) else { return end }
        var value = unit
        var position = start + 4
        if (0xD800...0xDBFF).contains(unit), position + 6 <= end,
            let low = hexadecimal((position + 2)..<(position + 6)), (0xDC00...0xDFFF).contains(low)
        {
            value = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            position += 6
        }
        if let scalar = Unicode.Scalar(value) {
            result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
        return position
    }
}
