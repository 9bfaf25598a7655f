/// Values that are dear to make again, for those used lately: two generations, the older dropped when the newer is full.
///
/// Holds at most `capacity` and costs one look-up for what is in use, and one comparison for what was used last.
struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    /// Also in `young`, as nothing has been inserted since.
    private var latest: Entry?
    private let generation: Int

    init(capacity: Int) { generation = max(1, capacity / 2) }

    var count: Int { young.count + old.count }

    subscript(key: Key) -> Value? {
        mutating get {
            if let value = latest?.value(for: key) { return value }
            if let value = young[key] {
                latest = Entry(key: key, value: value)
                return value
            }
            guard let value = old.removeValue(forKey: key) else { return nil }
            insert(value, for: key)
            return value
        }
    }

    mutating func insert(_ value: Value, for key: Key) {
        if young.count >= generation {
            old = young
            young = [:]
        }
        young[key] = value
        latest = Entry(key: key, value: value)
    }

    private struct Entry: Sendable {
        let key: Key
        let value: Value

        func value(for other: Key) -> Value? { key == other ? value : nil }
    }
}
