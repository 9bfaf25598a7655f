/// The entries of a table keyed by ids, collected in the scan of the text: thousands of small objects that need no
/// second pass.
struct JSONTable: Sendable {
    struct Entry: Sendable {
        let key: JSONKey
        let kind: JSONKind
        let value: Range<Int>
        /// The range of the entry's members among all collected ones, if it is an object.
        let members: Range<Int>
    }

    let shape: TableShape?
    private(set) var entries: [Entry] = []
    private var members: [JSONMember] = []
    /// The start of the next entry's members.
    private var start = 0

    /// A bit for the length of each field, and one for the lower bits of its first byte.
    private var lengths: UInt64 = 0
    private var firsts: UInt64 = 0

    init(_ shape: TableShape?) {
        self.shape = shape
        for field in shape?.fields ?? [] {
            guard let first = field.utf8.first else { continue }
            lengths |= 1 << UInt64(field.utf8.count & 0x3F)
            firsts |= 1 << UInt64(first & 0x3F)
        }
    }

    func members(of entry: Entry) -> ArraySlice<JSONMember> { members[entry.members] }

    /// Stores a member of the next entry if its name may be that of a field. Escapes are not resolved.
    @inline(__always)
    mutating func append(_ member: JSONMember, _ bytes: Span<UInt8>) {
        guard member.key.isEscaped || isLikely(member.key.range, bytes) else { return }
        members.append(member)
    }

    /// Whether a key has the length and the first byte of a field. The caller compares the names.
    @inline(__always)
    private func isLikely(_ key: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        guard key.count > 0, key.count < 64 else { return false }
        let first = UInt64(bytes[key.lowerBound] & 0x3F)
        return lengths & 1 << UInt64(key.count) != 0 && firsts & 1 << first != 0
    }

    /// Appends an entry after its members.
    mutating func end(_ entry: JSONMember) {
        entries.append(Entry(key: entry.key, kind: entry.kind, value: entry.value, members: start..<members.count))
        start = members.count
    }
}
