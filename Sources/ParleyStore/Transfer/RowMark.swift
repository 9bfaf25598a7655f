/// A row's primary key as bytes: how far a copy has come.
///
/// A value is a byte for its kind, and then a number in eight bytes, or the length in eight bytes and the bytes.
enum RowMark {
    static func bytes(_ values: [BoundValue]) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ kind: UInt8, _ number: Int, _ content: [UInt8] = []) {
            bytes.append(kind)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
            bytes += content
        }
        for value in values {
            switch value {
            case .integer(let number): append(0, number ?? 0)
            case .text(let text): append(1, text.utf8.count, Array(text.utf8))
            case .optionalText(let text): append(1, (text ?? "").utf8.count, Array((text ?? "").utf8))
            case .blob(let content): append(2, content?.count ?? 0, content ?? [])
            }
        }
        return bytes
    }

    /// - Returns: `nil` for what `bytes` has not made.
    static func values(_ bytes: [UInt8]) -> [BoundValue]? {
        var (rest, values) = (bytes[...], [BoundValue]())
        while let kind = rest.popFirst() {
            guard rest.count >= 8 else { return nil }
            let number = Int(truncatingIfNeeded: rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
            rest = rest.dropFirst(8)
            if kind == 0 {
                values.append(.integer(number))
                continue
            }
            guard (0...rest.count).contains(number) else { return nil }
            let content = Array(rest.prefix(number))
            rest = rest.dropFirst(number)
            switch kind {
            case 1: values.append(.text(String(decoding: content, as: UTF8.self)))
            case 2: values.append(.blob(content))
            default: return nil
            }
        }
        return values
    }
}
