/// What a request with `Range` gets (RFC 9110 §14).
enum RequestedRange: Hashable, Sendable {
    /// All of it, 200: without the field, and where it is malformed, of another unit, or of several ranges.
    case whole
    /// 206
    case part(Range<Int>)
    /// 416
    case unsatisfiable

    /// - Parameters:
    ///   - field: the value of `Range`.
    ///   - size: of the blob.
    init(_ field: String?, size: Int) {
        self = field.flatMap { RequestedRange(parsing: Array($0.utf8), size) } ?? .whole
    }

    private init?(parsing field: [UInt8], _ size: Int) {
        guard let equals = field.firstIndex(of: UInt8(ascii: "=")),
            String(decoding: field[..<equals], as: UTF8.self).lowercased() == "bytes"
        else { return nil }
        let set = field[(equals + 1)...]
        guard let dash = set.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (first, last) = (set[..<dash], set[(dash + 1)...])
        guard let end = RequestedRange.number(last) else { return nil }
        if first.isEmpty {
            // The last so many bytes.
            guard let count = end else { return nil }
            self = count == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - count)..<size)
            return
        }
        guard let start = RequestedRange.number(first), let start else { return nil }
        if let end, end < start { return nil }
        guard start < size else {
            self = .unsatisfiable
            return
        }
        self = .part(start..<(end.map { min($0, size - 1) + 1 } ?? size))
    }

    /// - Returns: `nil` for anything but digits, and `.some(nil)` for none. A number beyond `Int` is the largest.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int?? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return .some(digits.isEmpty ? nil : Int(String(decoding: digits, as: UTF8.self)) ?? .max)
    }
}
