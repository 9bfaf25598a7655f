/// The keys of one object: a few plain ones are compared one by one, others through a set, so that no payload costs
/// a square of its length.
struct SeenKeys {
    private var plain: [Range<Int>] = []
    private var unescaped: Set<Key> = []

    /// A key's bytes, hashed in one go: an array hashes them one by one.
    private struct Key: Hashable {
        let bytes: [UInt8]

        func hash(into hasher: inout Hasher) {
            unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }
    }

    private static let fewEnough = 24

    mutating func insert(_ key: Range<Int>, isEscaped: Bool, _ bytes: Span<UInt8>) -> Bool {
        if unescaped.isEmpty, plain.count < SeenKeys.fewEnough, !isEscaped {
            for other in plain where bytes.holdsSame(other, key) { return false }
            plain.append(key)
            return true
        }
        if unescaped.isEmpty {
            for other in plain { unescaped.insert(Key(bytes: bytes.unescaped(other))) }
        }
        return unescaped.insert(Key(bytes: bytes.unescaped(key))).inserted
    }
}

extension Span<UInt8> {
    fileprivate func holdsSame(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        guard one.count == other.count else { return false }
        for offset in 0..<one.count where self[one.lowerBound + offset] != self[other.lowerBound + offset] {
            return false
        }
        return true
    }
}
