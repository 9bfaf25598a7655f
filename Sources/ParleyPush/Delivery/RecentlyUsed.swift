/// A table of bounded size that drops the least recently used entries.
struct RecentlyUsed<Key: Hashable, Value> {
    private var entries: [Key: (value: Value, used: UInt64)] = [:]
    private var uses: UInt64 = 0
    let limit: Int

    init(limit: Int) { self.limit = limit }

    var count: Int { entries.count }
    var keys: [Key] { Array(entries.keys) }
    var values: [Value] { entries.values.map(\.value) }

    /// Reading an entry is a use.
    subscript(key: Key) -> Value? {
        mutating get {
            guard let index = entries.index(forKey: key) else { return nil }
            uses += 1
            entries.values[index].used = uses
            return entries.values[index].value
        }
        set {
            uses += 1
            if let newValue { entries[key] = (newValue, uses) } else { entries[key] = nil }
        }
    }

    /// Removes entries beyond the limit, and an eighth more, because finding the oldest costs a look at all.
    ///
    /// - Parameter mayGo: whether an entry may be removed; others stay even beyond the limit.
    /// - Returns: the removed ones.
    mutating func trim(where mayGo: (Value) -> Bool = { _ in true }) -> [Value] {
        guard entries.count > limit else { return [] }
        let oldest = entries.filter { mayGo($0.value.value) }.sorted { $0.value.used < $1.value.used }
            .prefix(entries.count - limit + limit / 8)
        for (key, _) in oldest { entries[key] = nil }
        return oldest.map(\.value.value)
    }
}
