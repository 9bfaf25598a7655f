/// A short hash of a key without its escapes, which tells most keys apart without a comparison of their bytes. Keys
/// with equal fingerprints are compared.
struct KeyFingerprint: Equatable, Sendable {
    let value: UInt32

    /// A secret part of every fingerprint, random in every process, so that nobody can choose keys with equal
    /// fingerprints.
    struct Seed: Sendable {
        fileprivate let first = UInt64.random(in: 1 ... .max)
        fileprivate let second = UInt64.random(in: 1 ... .max) | 1

        static let shared = Seed()

        /// Both halves of a product, combined.
        @inline(__always)
        fileprivate func mix(_ value: UInt64) -> UInt64 {
            let product = value.multipliedFullWidth(by: second)
            return product.high ^ product.low
        }

        /// Mixes in the last, fewer than eight bytes, and the number of all.
        @inline(__always)
        fileprivate func finish(_ mixed: UInt64, _ rest: UInt64, count: Int) -> KeyFingerprint {
            let last = mix(mixed ^ rest) ^ UInt64(truncatingIfNeeded: count)
            return KeyFingerprint(value: UInt32(truncatingIfNeeded: mix(last)))
        }
    }

    /// A placeholder.
    static let none = KeyFingerprint(value: 0)

    private init(value: UInt32) { self.value = value }

    /// - Parameter range: of a key without escapes.
    @inline(__always)
    init(_ bytes: Span<UInt8>, _ range: Range<Int>, _ seed: Seed) {
        let raw = unsafe bytes.bytes
        var position = range.lowerBound
        var mixed = seed.first
        while position + 8 <= range.upperBound {
            // In bounds: the range lies in the bytes.
            let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            mixed = seed.mix(mixed ^ UInt64(littleEndian: word))
            position += 8
        }
        let left = range.upperBound - position
        var rest: UInt64 = 0
        if position + 8 <= bytes.count {
            let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            rest = UInt64(littleEndian: word) & ((1 as UInt64) << UInt64(truncatingIfNeeded: left * 8) &- 1)
        } else {
            for index in (0..<left).reversed() { rest = rest << 8 | UInt64(bytes[position + index]) }
        }
        self = seed.finish(mixed, rest, count: range.count)
    }

    /// - Parameter range: of a key with escapes.
    /// - Returns: its fingerprint, and its length without them.
    static func unescaping(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ seed: Seed
    ) -> (fingerprint: KeyFingerprint, count: Int) {
        var mixed = seed.first
        var rest: UInt64 = 0
        var count = 0
        bytes.forEachUnescaped(range) { byte in
            rest |= UInt64(byte) << UInt64(truncatingIfNeeded: (count & 7) * 8)
            count += 1
            if count & 7 == 0 {
                mixed = seed.mix(mixed ^ rest)
                rest = 0
            }
        }
        return (seed.finish(mixed, rest, count: count), count)
    }
}
