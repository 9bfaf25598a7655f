/// The keys of the objects that are open during a scan, to find duplicates.
///
/// The keys of inner objects lie behind those of the outer ones and are dropped with their object. Few keys are
/// compared by their fingerprints in turn, many through an index, so that no payload costs the square of its length.
struct SeenKeys {
    /// The elements from `end` on are unused.
    private var fingerprints: [KeyFingerprint]
    /// The start of each key.
    private var places: [UInt32]
    private var end = 0
    /// The first key of the innermost object.
    private var start = 0
    /// The first key of each object around it.
    private var outerStarts: [Int]
    private var outerCount = 0
    /// The indexes of the open objects with many keys, the innermost last.
    private var indexes: [KeyIndex] = []

    /// More keys have an index.
    private static let few = 64
    /// The longest text whose positions fit, in bytes.
    static let longestText = Int(UInt32.max)

    init() {
        fingerprints = Array(repeating: .none, count: 32)
        places = Array(repeating: 0, count: 32)
        outerStarts = Array(repeating: 0, count: Limits.jsonDepth)
    }

    /// The number of keys in the innermost object.
    var count: Int { end - start }

    @inline(__always)
    mutating func open() {
        outerStarts[outerCount] = start
        outerCount += 1
        start = end
    }

    @inline(__always)
    mutating func close() {
        if count > SeenKeys.few, !indexes.isEmpty { indexes.removeLast() }
        end = start
        outerCount -= 1
        start = outerStarts[outerCount]
    }

    /// Adds a key to the innermost object.
    ///
    /// - Parameter place: its start, after the quote.
    /// - Returns: whether the object has no equal key.
    @inline(__always)
    mutating func insert(_ fingerprint: KeyFingerprint, at place: Int, _ bytes: Span<UInt8>) -> Bool {
        if count < SeenKeys.few {
            if fingerprints.span.extracting(start..<end).holds(fingerprint) {
                for other in start..<end where fingerprints[other] == fingerprint {
                    if bytes.meansSameKey(Int(places[other]), place) { return false }
                }
            }
        } else if !indexed(fingerprint, at: place, bytes) {
            return false
        }
        if end == places.count {
            fingerprints += fingerprints
            places += places
        }
        fingerprints[end] = fingerprint
        places[end] = UInt32(truncatingIfNeeded: place)
        end += 1
        return true
    }

    private mutating func indexed(_ fingerprint: KeyFingerprint, at place: Int, _ bytes: Span<UInt8>) -> Bool {
        if count == SeenKeys.few { indexes.append(KeyIndex()) }
        let last = indexes.count - 1
        guard last >= 0 else { return false }
        let places = places
        return indexes[last].insert(fingerprint, after: fingerprints, start..<end) { other in
            bytes.meansSameKey(Int(places[other]), place)
        }
    }
}

/// Finds one of many keys by its fingerprint: a hash table of the keys' numbers.
private struct KeyIndex {
    /// The number of a key in its object, from 1; 0 for a free slot. A power of two, at most half of them taken.
    private var slots: [UInt32] = []

    /// Adds a key after all others of its object.
    ///
    /// - Parameters:
    ///   - others: their range among all open keys.
    ///   - isSame: whether the key at such a place is equal.
    /// - Returns: whether none of them is.
    mutating func insert(
        _ fingerprint: KeyFingerprint, after fingerprints: [KeyFingerprint], _ others: Range<Int>,
        isSame: (Int) -> Bool
    ) -> Bool {
        if others.count * 2 >= slots.count { rebuild(fingerprints, others) }
        var slot = home(fingerprint)
        while slots[slot] != 0 {
            let other = others.lowerBound + Int(slots[slot]) - 1
            if fingerprints[other] == fingerprint, isSame(other) { return false }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = UInt32(truncatingIfNeeded: others.count + 1)
        return true
    }

    private mutating func rebuild(_ fingerprints: [KeyFingerprint], _ others: Range<Int>) {
        slots = Array(repeating: 0, count: max(512, slots.count * 4))
        for (number, fingerprint) in zip(1..., fingerprints[others]) {
            var slot = home(fingerprint)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(truncatingIfNeeded: number)
        }
    }

    private func home(_ fingerprint: KeyFingerprint) -> Int { Int(fingerprint.value) & (slots.count - 1) }
}

extension Span<KeyFingerprint> {
    /// Compares all without a branch, so that the compiler compares many at a time.
    @inline(__always)
    fileprivate func holds(_ fingerprint: KeyFingerprint) -> Bool {
        var found: UInt32 = 0
        for index in 0..<count { found |= self[index] == fingerprint ? 1 : 0 }
        return found != 0
    }
}

extension Span<UInt8> {
    /// Compares two keys without their escapes, by their places after the quotes.
    fileprivate func meansSameKey(_ one: Int, _ other: Int) -> Bool { unescapedKey(one) == unescapedKey(other) }

    private func unescapedKey(_ start: Int) -> [UInt8]? {
        var lexer = JSONLexer((start - 1)..<count)
        guard (try? lexer.string(self)) != nil else { return nil }
        return unescaped(start..<(lexer.position - 1))
    }
}
